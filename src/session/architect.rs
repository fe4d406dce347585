//! Plans and whoever carries them out: the architect's reply is a plan; the user accepts it, changes it or not; then the
//! editor model makes the edits, with nothing before it but the files and the plan. Both are one turn.

use anyhow::Result;

use super::Purpose;
use super::Seat;
use super::Session;
use super::TurnEnd;
use super::apply_step::Carried;
use super::ask::cut_short_as;
use super::reflection::Reflections;
use super::turn::Turn;
use crate::chat::history::History;
use crate::chat::message::Message;
use crate::chat::modes;
use crate::chat::modes::Mode;
use crate::chat::reply;
use crate::edit_format;
use crate::edit_format::EditFormat;
use crate::llm::Finish;
use crate::llm::Reply;
use crate::models::ModelSettings;
use crate::terminal::Answer;
use crate::terminal::Event;
use crate::terminal::Question;

/// Opens the plan in the user's own editor.
const EDIT: char = 'e';

/// A plan that was not carried out, and what it is for.
pub(super) struct WaitingPlan {
    request: String,
    plan: String,
}

/// What the session was before it became the editor.
struct Planner {
    /// Some when the editor is a model of its own.
    seat: Option<Option<Seat>>,
    format: &'static dyn EditFormat,
    mode: &'static Mode,
    purpose: Purpose,
    history: History,
}

impl Session {
    /// What becomes of the architect's reply. An accepted plan is left in the turn.
    pub(super) fn take_plan(&mut self, turn: &mut Turn, reply: &Reply) -> Result<Carried> {
        let text = reply.text.trim();
        if reply.finish != Finish::Stop {
            self.ui.show(Event::Warning(
                "The plan is not whole, so it is not carried out.".to_owned(),
            ));
            return Ok(Carried::Ended(cut_short_as(&reply.finish)));
        }
        let more = self.offer_mentioned(text, &turn.message)?;
        if let Some(more) = more
            && reply::asks_for_files(text)
        {
            return Ok(Carried::Open(more));
        }
        if text.is_empty() || reply::asks_for_files(text) || reply::asks_back(text) {
            return Ok(Carried::Ended(TurnEnd::Done));
        }
        turn.plan = self.agreed_plan(&turn.message, text);
        if let Some(plan) = turn.plan.as_ref().filter(|plan| *plan != text) {
            turn.said
                .push(Message::user(format!("I have changed the plan. It is now:\n\n{plan}")));
        }
        Ok(Carried::Ended(TurnEnd::Done))
    }

    /// The plan as the user wants it carried out; None for not now.
    fn agreed_plan(&mut self, request: &str, plan: &str) -> Option<String> {
        if self.options.accept_plans {
            return Some(plan.to_owned());
        }
        let answer = self.put(&Question {
            text: "Carry out this plan (e: edit it first)?".to_owned(),
            detail: String::new(),
            default: Answer::Yes,
            yes_always_applies: true,
            choices: vec![(EDIT, "edit it first".to_owned())],
        });
        let agreed = match answer {
            Answer::Yes => Some(plan.to_owned()),
            Answer::Choice(EDIT) => self.ui.edit(plan).map(|text| text.trim().to_owned()),
            Answer::No | Answer::Choice(_) => None,
        };
        let agreed = agreed.filter(|plan| !plan.is_empty());
        if agreed.is_none() {
            self.waiting_plan = Some(WaitingPlan {
                request: request.to_owned(),
                plan: plan.to_owned(),
            });
            self.ui.show(Event::Note(
                "Nothing was changed. Say what should be different, or `/ok` to have the plan carried out.".to_owned(),
            ));
        }
        agreed
    }

    /// Carries out the plan that was put aside last; None when there is none.
    pub fn carry_out_waiting_plan(&mut self) -> Option<TurnEnd> {
        let waiting = self.waiting_plan.take()?;
        let tests = self.tests_after_writes();
        let mut turn = Turn::new(&waiting.request, self.options.max_reflections, tests);
        turn.plan = Some(waiting.plan);
        turn.said = vec![Message::user("Carry out your plan.")];
        Some(self.run(turn, Session::carry_plan_out))
    }

    /// Lets the editor make the edits of the turn's plan. What they said to each other does not stay in the chat.
    pub(super) fn carry_plan_out(&mut self, turn: &mut Turn) -> Result<TurnEnd> {
        let Some(plan) = turn.plan.take() else {
            return Ok(TurnEnd::Done);
        };
        self.waiting_plan = None;
        let planned = std::mem::replace(&mut turn.said, vec![Message::user(&plan)]);
        self.reflections += turn.reflections.used();
        turn.reflections = Reflections::new(self.options.max_reflections);
        let planner = self.become_editor();
        let end = self.drive(turn);
        self.become_planner(planner);
        turn.said = planned;
        let word = match &end {
            Ok(TurnEnd::Done) => "The plan was carried out; the files are as it left them.",
            Ok(TurnEnd::StillRed) => "The plan was carried out, and its checks still fail.",
            _ => "The plan was not carried out as a whole.",
        };
        turn.said.push(Message::user(word));
        if turn.id.is_none() && !matches!(end, Ok(TurnEnd::Done)) {
            self.ui
                .show(Event::Note("`/ok` has the plan carried out again.".to_owned()));
            self.waiting_plan = Some(WaitingPlan {
                request: turn.message.clone(),
                plan,
            });
        }
        end
    }

    fn become_editor(&mut self) -> Planner {
        let own_seat = self.editor.take();
        let seat = own_seat.map(|editor| self.main.replace(editor));
        let wanted = self.options.editor_format.as_deref();
        let format = wanted.and_then(edit_format::by_name).unwrap_or_else(|| {
            let usual = match (&seat, self.main_settings()) {
                (Some(_), Some(settings)) => settings.edit_format.as_str(),
                _ => self.format.name(),
            };
            edit_format::for_editor(usual)
        });
        if let Some(name) = self
            .main_settings()
            .map(|settings: &ModelSettings| settings.name.clone())
        {
            self.ui
                .show(Event::Note(format!("{name} carries the plan out ({}).", format.name())));
        }
        Planner {
            seat,
            format: std::mem::replace(&mut self.format, format),
            mode: std::mem::replace(&mut self.mode, &modes::EDITOR),
            purpose: std::mem::replace(&mut self.purpose, Purpose::Editor),
            history: std::mem::take(&mut self.history),
        }
    }

    fn become_planner(&mut self, planner: Planner) {
        if let Some(seat) = planner.seat {
            self.editor = std::mem::replace(&mut self.main, seat);
        }
        self.format = planner.format;
        self.mode = planner.mode;
        self.purpose = planner.purpose;
        // What was noted meanwhile (the output of a command) belongs to the chat.
        let noted = std::mem::replace(&mut self.history, planner.history);
        self.history.turns.extend(noted.turns);
    }
}
