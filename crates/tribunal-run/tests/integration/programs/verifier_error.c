void __VERIFIER_error(void);

int main() { __VERIFIER_error(); }
