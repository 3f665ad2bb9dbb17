//! Which models allow all that others allow.

use super::Model::{self, *};

/// The second model allows whatever the first allows and both apply to. What follows from these by going through other
/// models is left out.
const INCLUSIONS: [(Model, Model); 28] = [
    (Sc, Tso),
    (Sc, Wsc),
    (Sc, Rc20),
    (Sc, Rc11),
    (Tso, Pso),
    (Tso, Wccm),
    (Tso, Sra),
    (Pso, Wmo),
    (Pso, Rmo),
    // pso keeps R→W, so a cycle of po ∪ rf is one of ppo ∪ rfe; and relaxed is coherence and acyclic(po ∪ rf).
    (Pso, Relaxed),
    (Wmo, Coherence),
    (Wsc, Ccm),
    // ra looks at each location alone, where hb orders all or nothing of two chains of RMWs.
    (Wsc, Ra),
    (Ccm, Wccm),
    (Ccm, Cm),
    // co is po-loc, or by ppo ∪ rfe: cf[co] is in whb. Two RMWs that read from one write come before each other by rw.
    (Wccm, Ccv),
    (Wccm, Wra),
    (Cm, Cc),
    (Cm, Pram),
    (Ccv, Cc),
    (Sra, Ccv),
    (Sra, Ra),
    (Ra, Wra),
    // With seq_cst, ra is not in rc20 or rc11.
    (Ra, Relaxed),
    (Wra, Cc),
    (Rc20, Relaxed),
    (Rc11, Relaxed),
    (Relaxed, Coherence),
];

impl Model {
    /// Whether this model allows all that another allows, of what both apply to; for pairs (po-mm, rf-mm), only of themselves.
    ///
    /// ```
    /// use tribunal::Model;
    /// assert!(Model::Cc.includes(Model::Sc));
    /// assert!(!Model::Pram.includes(Model::Tso));
    /// ```
    pub fn includes(self, other: Model) -> bool {
        let mut reached = vec![other];
        let mut at = 0;
        while let Some(&model) = reached.get(at) {
            let weaker = INCLUSIONS.iter().filter(|&&(strong, _)| strong == model).map(|&(_, weak)| weak);
            reached.extend(weaker);
            at += 1;
        }
        reached.contains(&self)
    }
}
