//! German's protocol is coherent: a client has the access that it was granted, until its copy is invalid.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::crowd::{CrowdInvariant, CrowdRefinement, Moment};
use refmap_systems::caches::coherence::{self, Access, Coherence, Memory};
use refmap_systems::caches::german::{Action, Cache, Client, Directory, German};

/// The refinement.
#[derive(Clone, Copy, Debug)]
pub struct GermanRefinement(pub German);

impl CrowdRefinement for GermanRefinement {
    type Implementation = German;
    type Specification = Coherence;

    fn implementation(&self) -> German {
        self.0
    }

    fn specification(&self) -> Coherence {
        Coherence
    }

    fn map(&self, directory: &Directory) -> Memory {
        Memory {
            value: directory.aux_data,
        }
    }

    fn map_member(&self, _: &Directory, client: &Client) -> Access {
        match client.cache {
            Cache::I => Access::Nothing,
            Cache::S(_) => Access::Reads,
            Cache::E(_) => Access::Writes,
        }
    }

    fn abstract_steps(
        &self,
        from: Moment<'_, German>,
        action: &Action,
        _: Moment<'_, German>,
    ) -> AbstractSteps<coherence::Action> {
        match *action {
            Action::Store(data) => One(coherence::Action::Write(data)),
            Action::RecvGntS => One(coherence::Action::Read),
            Action::RecvGntE => One(coherence::Action::Own),
            Action::SendInvAck if from.me.is_some_and(|me| me.cache != Cache::I) => {
                One(coherence::Action::Lose)
            }
            Action::SendReqS
            | Action::SendReqE
            | Action::RecvReqS
            | Action::RecvReqE
            | Action::SendInv
            | Action::SendInvAck
            | Action::RecvInvAck
            | Action::SendGntS
            | Action::SendGntE => Stutter,
        }
    }

    fn invariants(&self) -> Vec<CrowdInvariant<German>> {
        vec![
            CrowdInvariant::of_members(
                "ctrl_prop",
                "Chou, Mannava & Park, CtrlProp",
                |_, [one, other]: [&Client; 2]| {
                    !matches!(one.cache, Cache::E(_)) || other.cache == Cache::I
                },
            ),
            CrowdInvariant::of_members(
                "data_prop",
                "Chou, Mannava & Park, DataProp",
                |directory: &Directory, []: [&Client; 0]| {
                    directory.ex_gntd || directory.mem_data == directory.aux_data
                },
            ),
        ]
    }
}
