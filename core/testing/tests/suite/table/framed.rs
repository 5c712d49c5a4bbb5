//! The row of a state by itself: what the steps that keep to their lane see.

use refmap::{Fields, Framed, FramedRefinement, PackedPart};

use super::{Correspondence, Label, State, Table};

impl Table {
    fn keeps_lane(&self, label: Label) -> bool {
        u16::from(label.rule).is_multiple_of(self.lanes)
    }
}

impl Framed for Table {
    /// The row of a state.
    type Part = usize;

    fn part(&self, state: &State) -> usize {
        state.row()
    }

    fn put(&self, row: &usize, state: &mut State) {
        *state = State {
            lane: state.lane,
            ..State::of_row(*row)
        };
    }

    fn next_of_part(&self, row: &usize, visit: &mut impl FnMut(Label, usize)) {
        for &(label, to) in &self.steps[*row] {
            if self.keeps_lane(label) {
                visit(label, to);
            }
        }
    }

    fn next_of_rest(&self, from: &State, visit: &mut impl FnMut(Label, State)) {
        for &(label, to) in &self.steps[from.row()] {
            if !self.keeps_lane(label) {
                let lane = (from.lane + u16::from(label.rule)) % self.lanes;
                visit(
                    label,
                    State {
                        lane,
                        ..State::of_row(to)
                    },
                );
            }
        }
    }
}

impl PackedPart for Table {
    fn part_fields(&self, row: &usize, fields: &mut impl Fields) -> usize {
        let state = State::of_row(*row);
        let packing = &self.packing;
        State {
            place: fields.byte(packing.place, state.place),
            secret: fields.byte(packing.secret, state.secret),
            lane: 0,
        }
        .row()
    }
}

impl Correspondence {
    /// Whether images and answers do not depend on the lane.
    pub fn is_framed(&self) -> bool {
        let of_part = |(row, step, _): (usize, usize, Option<Label>)| {
            let (label, _) = self.concrete.steps[row][step];
            self.concrete.keeps_lane(label)
        };
        self.concrete.lanes == 1
            || self.wrong_image.is_none() && !self.wrong_answer.is_some_and(of_part)
    }
}

/// What is said of the first lane is said of all.
impl FramedRefinement for Correspondence {
    fn map_part(&self, row: &usize) -> usize {
        use refmap::Refinement;
        self.map(&State::of_row(*row)).row()
    }

    fn answer_part(&self, from: &usize, action: &Label, to: &usize) -> Option<Label> {
        use refmap::Refinement;
        self.answer(&State::of_row(*from), action, &State::of_row(*to))
    }
}
