//! What a step means to the environment, as the graph keeps it.

/// What the graph keeps of a step, in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::obligation) struct Label {
    /// The process of the environment that takes the step, or on whose behalf it is taken.
    pub agent: Option<usize>,
    /// Whether it is answered by an action.
    pub visible: bool,
    /// The number of that action's inputs, if it is one of the environment.
    pub input: Option<u32>,
}

impl Label {
    pub fn encode(self) -> u32 {
        let agent = self.agent.map_or(0, |agent| agent as u32 + 1);
        let input = self.input.map_or(0, |input| input + 1);
        assert!(input < 1 << 24, "a step's label has room for 2^24 inputs");
        agent | u32::from(self.visible) << 7 | input << 8
    }

    pub fn decode(bits: u32) -> Self {
        Self {
            agent: (bits & 0x7F).checked_sub(1).map(|agent| agent as usize),
            visible: bits & 0x80 != 0,
            input: (bits >> 8).checked_sub(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_survive_their_encoding() {
        for agent in [None, Some(0), Some(31)] {
            for visible in [false, true] {
                for input in [None, Some(0), Some((1 << 24) - 2)] {
                    let label = Label {
                        agent,
                        visible,
                        input,
                    };
                    assert_eq!(Label::decode(label.encode()), label);
                }
            }
        }
    }
}
