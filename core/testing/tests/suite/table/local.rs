//! A table stated by its local transitions: those that keep to their lane see the row alone.

use refmap::{
    Fields, Invariant, Layout, LocalRefinement, LocalTransitions, Packed, PackedLocal, Process,
    Refinement, Rule, RuleId, Split, SplitAction, SplitActionOf, TransitionSystem, Waiver,
};
use serde::Serialize;

use super::{Correspondence, Label, State, Table};

/// A table whose states are split into row and lane.
pub struct Lanes(Table);

fn whole(state: &Split<Lanes>) -> State {
    State {
        lane: state.context,
        ..State::of_row(state.local)
    }
}

fn label(action: &SplitActionOf<Lanes>) -> &Label {
    let (SplitAction::Local(label) | SplitAction::Context(label)) = action;
    label
}

impl Lanes {
    fn split(&self, label: Label) -> SplitActionOf<Self> {
        match self.0.keeps_lane(label) {
            true => SplitAction::Local(label),
            false => SplitAction::Context(label),
        }
    }
}

impl LocalTransitions for Lanes {
    /// The row,
    type Local = usize;
    /// and the lane.
    type Context = u16;
    type LocalAction = Label;
    type ContextAction = Label;
    type Observation = u8;

    fn rules(&self) -> &[Rule] {
        &self.0.rules
    }

    fn rule_of(&self, action: &SplitActionOf<Self>) -> RuleId {
        self.0.rule_of(label(action))
    }

    fn process_of(&self, action: &SplitActionOf<Self>) -> Process {
        self.0.process_of(label(action))
    }

    fn initial(&self, visit: &mut impl FnMut(Split<Self>)) {
        self.0.initial(&mut |state| {
            let (local, context) = (state.row(), state.lane);
            visit(Split { local, context });
        });
    }

    fn next_local(&self, row: &usize, visit: &mut impl FnMut(Label, usize)) {
        for &(label, to) in &self.0.steps[*row] {
            if self.0.keeps_lane(label) {
                visit(label, to);
            }
        }
    }

    fn next_context(&self, from: &Split<Self>, visit: &mut impl FnMut(Label, Split<Self>)) {
        for &(label, local) in &self.0.steps[from.local] {
            if !self.0.keeps_lane(label) {
                let context = (from.context + u16::from(label.rule)) % self.0.lanes;
                visit(label, Split { local, context });
            }
        }
    }

    fn observe(&self, state: &Split<Self>) -> u8 {
        self.0.shown[state.local]
    }

    fn show(state: &Split<Self>) -> impl Serialize {
        whole(state)
    }

    fn may_stop(&self, state: &Split<Self>) -> bool {
        self.0.may_stop[state.local]
    }

    fn inputs(&self, action: &SplitActionOf<Self>) -> SplitActionOf<Self> {
        self.split(self.0.inputs(label(action)))
    }
}

impl PackedLocal for Lanes {
    fn layout(&self) -> &Layout {
        self.0.layout()
    }

    fn local_fields(&self, row: &usize, fields: &mut impl Fields) -> usize {
        let (state, packing) = (State::of_row(*row), &self.0.packing);
        State {
            place: fields.byte(packing.place, state.place),
            secret: fields.byte(packing.secret, state.secret),
            lane: 0,
        }
        .row()
    }

    fn context_fields(&self, lane: &u16, fields: &mut impl Fields) -> u16 {
        fields.number(self.0.packing.lane, u64::from(*lane)) as u16
    }
}

/// A correspondence that is the same in all lanes.
pub struct InAllLanes<'a> {
    tables: &'a Correspondence,
    concrete: Lanes,
    specification: Lanes,
}

impl Correspondence {
    /// The same, stated by what it says of rows; none if images, or answers of local transitions, depend on the lane,
    /// or if a state takes more than a word.
    pub fn in_all_lanes(&self) -> Option<InAllLanes<'_>> {
        let of_row = |(row, step, _): (usize, usize, Option<Label>)| {
            let (label, _) = self.concrete.steps[row][step];
            self.concrete.keeps_lane(label)
        };
        let depends_on_lane = self.wrong_image.is_some() || self.wrong_answer.is_some_and(of_row);
        let is_split = self.concrete.lanes == 1 || !depends_on_lane;
        (is_split && self.concrete.layout().words() <= 1).then(|| InAllLanes {
            tables: self,
            concrete: Lanes(self.concrete.clone()),
            specification: Lanes(self.specification.clone()),
        })
    }
}

impl LocalRefinement for InAllLanes<'_> {
    type Concrete = Lanes;
    type Abstract = Lanes;

    fn implementation(&self) -> &Lanes {
        &self.concrete
    }

    fn specification(&self) -> &Lanes {
        &self.specification
    }

    fn map_local(&self, row: &usize) -> usize {
        self.tables.map(&State::of_row(*row)).row()
    }

    /// A specification has one lane.
    fn map_context(&self, _lane: &u16) -> u16 {
        0
    }

    fn abstract_local_action(&self, from: &usize, action: &Label, to: &usize) -> Option<Label> {
        let [from, to] = [from, to].map(|row| State::of_row(*row));
        self.tables.abstract_action(&from, action, &to)
    }

    fn abstract_context_action(
        &self,
        from: &Split<Lanes>,
        action: &Label,
        to: &Split<Lanes>,
    ) -> Option<SplitActionOf<Lanes>> {
        let answer = self
            .tables
            .abstract_action(&whole(from), action, &whole(to));
        answer.map(|label| self.specification.split(label))
    }

    fn invariants(&self) -> Vec<Invariant<Lanes>> {
        self.tables
            .invariants_of(|state: &Split<Lanes>| state.local)
    }

    fn environment(&self) -> &[Process] {
        &self.tables.environment
    }

    fn at_rest(&self, state: &Split<Lanes>, process: Process) -> bool {
        self.tables.at_rest(&whole(state), process)
    }

    fn acts_for(&self, process: Process) -> Process {
        self.tables.acts_for(process)
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.tables.waivers()
    }
}
