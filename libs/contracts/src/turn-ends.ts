/** Why a successful turn sent nothing; the reasons of `ReplyWithheld` apply too. */
export const nothingToSay = 'nothing_to_say';

/** What stopped a turn's tools: its final answer was given without them. */
export type TurnLimit = 'steps_exhausted' | 'calls_exhausted' | 'budget_spent';

/** What is missing from a reply that was sent anyway. */
export type ReplyMark = TurnLimit | 'length_cut';

/** What the turn of a limit's notice gave: the notice, and no answer. */
export const limitNoticeSent = 'limit_notice';

/** What a successful turn gave: a reply, or no reply and why. */
export interface TurnReply {
  reply: 'sent' | 'none';
  /** With a reply: what it lacks. Without one: why. */
  reason: string | null;
}

/** Reasons of turns in plain words, each with what to do, if anything. */
const words: Readonly<Record<string, string>> = {
  nothing_to_say: 'The model had nothing to say.',
  limit_notice: 'The reply is a notice that a limit is reached. The message itself was not answered.',
  no_address: "The message gives no reply address: set reply_address of the App's channel.",
  automatic_message: 'Automatic messages are not answered.',
  bounce: 'Bounces are not answered.',
  mailing_list: 'Mailing lists are not answered.',
  notification: 'Notifications are not answered.',
  delivery_off: 'The event was replayed without delivery, so no reply was sent.',
  fetched: 'Whoever asked the agent fetches the answer from its task, over A2A or MCP.',
  for_agent: 'Another agent asked, and has the answer as the result of its call.',
  length_cut: 'The answer was cut at the length limit of the model: raise MODEL_MAX_OUTPUT_TOKENS.',
  steps_exhausted: 'The turn used up its steps: raise TURN_MAX_STEPS, or the cap of the agent.',
  calls_exhausted:
    'The turn used up its tool calls, or repeated one: raise TURN_MAX_TOOL_CALLS, or the cap of the agent.',
  budget_spent: 'The turn used up its tokens or cost: raise the caps of the agent.',
  day_budget_spent:
    'The tokens or cost of the day are used up: raise the caps of the agent or the limits of the project, or redrive the turn tomorrow.',
  month_budget_spent:
    'The tokens or cost of the month are used up: raise the caps of the agent or the limits of the project, or redrive the turn next month.',
  day_reserved: 'What is left of the budget is reserved by turns that run. The turn continues when one of them ends.',
  event_awaited: 'The run waits for an event. It continues when that has arrived, or when its time is over.',
  agent_called: 'The turn waits for another agent that it asked. It continues when that one has answered.',
  call_waits:
    'A tool waits for an answer of the user, or for a task of its server. The turn continues when it has come, or when its time is over.',
  content_filter:
    'The content filter of the model blocked the answer: change the instructions, or choose another model.',
  empty_answer: 'The model gave an empty answer: redrive the turn, or choose another model.',
  empty_at_length:
    'The model reached its length limit before it wrote an answer: raise MODEL_MAX_OUTPUT_TOKENS, or choose another model.',
  output_invalid:
    'The answer does not hold to the output schema of the workflow, and its repair does not either: change the schema or the instructions, or choose another model.',
  context_length: 'The conversation is too long for the model, even shortened: choose a model with a larger context.',
  model_refused: 'The model refused to answer.',
  model_rejected: 'The model endpoint rejected the request: check the name of the model and its settings.',
  model_unavailable: 'The model does not answer: check its endpoint.',
  model_unauthorized: 'The model endpoint does not accept the key: set MODEL_API_KEY.',
  model_timeout: 'The model took too long: raise MODEL_TIMEOUT_MS, or choose a faster model.',
  model_malformed: 'The answer of the model could not be read.',
  toolset_unavailable: 'The tool registry does not answer.',
  turn_timeout: 'The turn took too long: raise TURN_WALL_CLOCK_MS, or the cap of the agent.',
  kills_its_process:
    'The engine died whenever it worked on the turn, also when on nothing else: see the end of its log, then redrive the turn.',
  attempts_exhausted: 'The process that worked on the turn ended at every attempt.',
  agent_not_found: 'The agent was deleted.',
  version_not_found: 'That version of the agent is no longer kept.',
  cancelled: 'It was cancelled.',
  step_failed: 'A step of the workflow failed: the run says which, and why.',
  waiting_approval: "A tool call waits for a person's decision.",
};

/** A turn's reason in words, or null when it has none. */
export function wordsOfTurnReason(reason: string | null): string | null {
  return reason === null ? null : (words[reason] ?? null);
}

const stepWords: Readonly<Record<string, string>> = {
  not_wanted: 'The step on which it depends answered otherwise.',
  expression_failed: 'An expression of it has no value: the timeline says why. Correct it, and run the workflow again.',
  outcome_unknown:
    'The call was begun and interrupted. It may have had its effect, so it is not repeated: look there first.',
  approval_refused: 'A person refused it, and no later step depends on the answer.',
  approval_expired: 'Nobody decided in time.',
  wait_timed_out: 'No event came in time that it waits for. Redrive the run to have it wait again.',
  wait_cancelled: 'A person cancelled the wait. Redrive the run to have it wait again.',
  event_gone: 'The event that it waited for is no longer kept, so the run cannot read it.',
  too_many_event_waits:
    'As many runs of the project wait for an event as may: raise EVENT_WAITS_PER_PROJECT or cancel waits, then redrive the run.',
  wait_reads_too_much:
    'Its condition reads more of the run than is kept: have it read less, or raise EVENT_WAIT_BYTES, and run the workflow again.',
  invalid_condition: 'Its condition cannot be evaluated: correct it, and run the workflow again.',
  no_approvers: 'Nobody may decide: name approvers in the step, or of the agent.',
  unknown_tool: 'The agent does not have this tool: give it to the agent, or correct the name.',
  invalid_arguments: 'The arguments do not hold to the schema of the tool.',
};

/** Why a step of a workflow failed, waits or was skipped, in words; null: there are none. */
export function wordsOfStepReason(reason: string | null): string | null {
  return reason === null ? null : (stepWords[reason] ?? wordsOfTurnReason(reason));
}
