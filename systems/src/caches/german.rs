//! German's protocol: a directory grants copies of one line to caches, and has those invalidated that are in the way.
//!
//! Source: Chou, Mannava & Park, *A Simple Method for Parameterized Verification of Cache Coherence Protocols*, FMCAD 2004: German's protocol of 2000, with data.
//! Rules have its names and its order.

use refmap::crowd::{Chosen, Crowd, Others};
use refmap::guard;
use serde::Serialize;

use super::coherence::Seen;
use super::{DATA, Data};

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub struct German {
    /// Part that is left out.
    pub omits: Omits,
}

/// Part that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Omits {
    /// None: as published.
    Nothing,
    /// A shared copy is granted without a look at whether an exclusive one is. Wrong: both are held.
    ExclusiveInvalidation,
    /// An exclusive copy is granted without a wait for those that are to be invalidated. Wrong: it is held beside them.
    Acknowledgements,
    /// What an exclusive copy held is not written back. Wrong: the next copy has what was written before.
    WriteBack,
}

/// Request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// A shared copy.
    ReqS,
    /// An exclusive copy.
    ReqE,
}

/// Message of the directory to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// Its copy is invalid.
    Inv,
    /// It has a shared copy.
    GntS(Data),
    /// It has an exclusive copy.
    GntE(Data),
}

/// Acknowledgement of a client: its copy is invalid. Of an exclusive one it sends the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct InvAck(pub Option<Data>);

/// Copy that a client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub enum Cache {
    /// Invalid.
    I,
    /// Shared.
    S(Data),
    /// Exclusive.
    E(Data),
}

/// A client, with what the directory keeps of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, refmap::State)]
pub struct Client {
    /// Its copy.
    pub cache: Cache,
    /// Channel of requests.
    pub chan1: Option<Request>,
    /// Channel of grants and invalidations.
    pub chan2: Option<Message>,
    /// Channel of acknowledgements.
    pub chan3: Option<InvAck>,
    /// True if its copy is still to be invalidated.
    pub inv_set: bool,
    /// True if it has a copy, as far as the directory knows.
    pub shr_set: bool,
}

/// The directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::State)]
pub struct Directory {
    /// True if an exclusive copy is granted.
    pub ex_gntd: bool,
    /// The request that is served.
    pub cur_cmd: Option<Request>,
    /// The client whose request it is.
    pub cur_ptr: Option<Chosen>,
    /// Contents of memory.
    pub mem_data: Data,
    /// Ghost: what was stored last. No guard reads it.
    pub aux_data: Data,
}

/// A step of a client, or of the directory for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, refmap::Action)]
#[rule(process = "client")]
pub enum Action {
    /// The client stores a datum in its exclusive copy.
    #[rule(source = "Chou, Mannava & Park, Store")]
    Store(#[action(range = 0..DATA)] Data),
    /// It asks for a shared copy.
    #[rule(source = "Chou, Mannava & Park, SendReqS")]
    SendReqS,
    /// It asks for an exclusive copy.
    #[rule(source = "Chou, Mannava & Park, SendReqE")]
    SendReqE,
    /// The directory takes up its request for a shared copy.
    #[rule(source = "Chou, Mannava & Park, RecvReqS")]
    RecvReqS,
    /// The directory takes up its request for an exclusive copy.
    #[rule(source = "Chou, Mannava & Park, RecvReqE")]
    RecvReqE,
    /// The directory has its copy invalidated.
    #[rule(source = "Chou, Mannava & Park, SendInv")]
    SendInv,
    /// Its copy is invalid from now on.
    #[rule(source = "Chou, Mannava & Park, SendInvAck")]
    SendInvAck,
    /// The directory knows that.
    #[rule(source = "Chou, Mannava & Park, RecvInvAck")]
    RecvInvAck,
    /// The directory grants it a shared copy.
    #[rule(source = "Chou, Mannava & Park, SendGntS")]
    SendGntS,
    /// The directory grants it an exclusive copy.
    #[rule(source = "Chou, Mannava & Park, SendGntE")]
    SendGntE,
    /// It has the shared copy.
    #[rule(source = "Chou, Mannava & Park, RecvGntS")]
    RecvGntS,
    /// It has the exclusive copy.
    #[rule(source = "Chou, Mannava & Park, RecvGntE")]
    RecvGntE,
}

impl Directory {
    /// Takes up a request, and is to invalidate all copies.
    fn recv_req(
        &mut self,
        request: Request,
        me: &mut Client,
        others: &mut Others<'_, Client>,
    ) -> Option<()> {
        guard("no request is served", self.cur_cmd.is_none())?;
        guard("it asks for this", me.chan1 == Some(request))?;
        self.cur_cmd = Some(request);
        self.cur_ptr = Some(others.me());
        me.chan1 = None;
        me.inv_set = me.shr_set;
        others.each(|it| it.inv_set = it.shr_set);
        Some(())
    }

    /// The request of a client is served.
    fn served(&mut self, request: Request, client: Chosen) -> Option<()> {
        guard(
            "a request like this is served",
            self.cur_cmd == Some(request),
        )?;
        guard("it is that of the client", self.cur_ptr == Some(client))?;
        self.cur_cmd = None;
        self.cur_ptr = None;
        Some(())
    }
}

impl Client {
    /// Asks for a copy.
    fn send_req(&mut self, request: Request) -> Option<()> {
        guard("its channel is empty", self.chan1.is_none())?;
        self.chan1 = Some(request);
        Some(())
    }

    /// Is told something.
    fn send(&mut self, message: Message) -> Option<()> {
        guard("its channel is empty", self.chan2.is_none())?;
        self.chan2 = Some(message);
        Some(())
    }
}

impl Crowd for German {
    type Shared = Directory;
    type Member = Client;
    type Action = Action;
    type Observation = Seen;

    fn members(&self) -> &str {
        "caches"
    }

    fn initial(&self, visit: &mut impl FnMut(Directory, &[Client])) {
        let client = Client {
            cache: Cache::I,
            chan1: None,
            chan2: None,
            chan3: None,
            inv_set: false,
            shr_set: false,
        };
        for data in 0..DATA {
            let directory = Directory {
                ex_gntd: false,
                cur_cmd: None,
                cur_ptr: None,
                mem_data: data,
                aux_data: data,
            };
            visit(directory, &[client]);
        }
    }

    fn fire(
        &self,
        action: &Action,
        directory: &mut Directory,
        me: &mut Client,
        others: &mut Others<'_, Client>,
    ) -> Option<()> {
        use Request::{ReqE, ReqS};
        match *action {
            Action::Store(data) => {
                guard("its copy is exclusive", matches!(me.cache, Cache::E(_)))?;
                me.cache = Cache::E(data);
                directory.aux_data = data;
            }
            Action::SendReqS => {
                guard("it has no copy", me.cache == Cache::I)?;
                me.send_req(ReqS)?;
            }
            Action::SendReqE => {
                guard("it has no exclusive copy", !matches!(me.cache, Cache::E(_)))?;
                me.send_req(ReqE)?;
            }
            Action::RecvReqS => directory.recv_req(ReqS, me, others)?,
            Action::RecvReqE => directory.recv_req(ReqE, me, others)?,
            Action::SendInv => {
                let in_the_way = match directory.cur_cmd {
                    Some(ReqE) => true,
                    Some(ReqS) => directory.ex_gntd,
                    None => false,
                };
                guard("copies are in the way", in_the_way)?;
                guard("this one is to be invalidated", me.inv_set)?;
                me.send(Message::Inv)?;
                me.inv_set = false;
            }
            Action::SendInvAck => {
                guard("its copy is invalid", me.chan2 == Some(Message::Inv))?;
                guard("its channel is empty", me.chan3.is_none())?;
                me.chan2 = None;
                me.chan3 = Some(InvAck(match me.cache {
                    Cache::E(data) => Some(data),
                    Cache::I | Cache::S(_) => None,
                }));
                me.cache = Cache::I;
            }
            Action::RecvInvAck => {
                guard("a request is served", directory.cur_cmd.is_some())?;
                let InvAck(data) = me.chan3.take()?;
                me.shr_set = false;
                if directory.ex_gntd {
                    directory.ex_gntd = false;
                    if self.omits != Omits::WriteBack {
                        directory.mem_data = data?;
                    }
                }
            }
            Action::SendGntS => {
                directory.served(ReqS, others.me())?;
                let may_share = self.omits == Omits::ExclusiveInvalidation || !directory.ex_gntd;
                guard("no exclusive copy is granted", may_share)?;
                me.send(Message::GntS(directory.mem_data))?;
                me.shr_set = true;
            }
            Action::SendGntE => {
                directory.served(ReqE, others.me())?;
                if self.omits != Omits::Acknowledgements {
                    guard("no exclusive copy is granted", !directory.ex_gntd)?;
                    guard("it has no copy", !me.shr_set)?;
                    others.none(|it| it.shr_set)?;
                }
                me.send(Message::GntE(directory.mem_data))?;
                me.shr_set = true;
                directory.ex_gntd = true;
            }
            Action::RecvGntS => {
                let Some(Message::GntS(data)) = me.chan2 else {
                    return None;
                };
                me.cache = Cache::S(data);
                me.chan2 = None;
            }
            Action::RecvGntE => {
                let Some(Message::GntE(data)) = me.chan2 else {
                    return None;
                };
                me.cache = Cache::E(data);
                me.chan2 = None;
            }
        }
        Some(())
    }

    fn observe_member(&self, _: &Directory, client: &Client) -> Option<Seen> {
        Some(match client.cache {
            Cache::I => Seen::Nothing,
            Cache::S(data) => Seen::Reads(data),
            Cache::E(data) => Seen::Writes(data),
        })
    }
}
