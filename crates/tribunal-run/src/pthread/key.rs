//! Keys of thread-specific data. The values are libc's, and so are the keys; what destroys the values is called by the runtime.

use crate::control::is_in_program;
use crate::{entries, real, threads};
use std::ffi::{c_int, c_void};

type Destroy = Option<unsafe extern "C" fn(*mut c_void)>;

pub extern "C" fn create(key: *mut libc::pthread_key_t, destroy: Destroy) -> c_int {
    let status = real!(pthread_key_create(key: *mut libc::pthread_key_t, destroy: Destroy) -> c_int);
    if let Some(destroy) = destroy.filter(|_| status == 0 && (is_in_program() || !threads::has_begun())) {
        // SAFETY: libc has put it there.
        threads::has_destructor(unsafe { *key }, destroy);
    }
    status
}

pub extern "C" fn delete(key: libc::pthread_key_t) -> c_int {
    threads::forget_key(key);
    real!(pthread_key_delete(key: libc::pthread_key_t) -> c_int)
}

entries! {
    pthread_key_create = self::create;
    pthread_key_delete = self::delete;
}
