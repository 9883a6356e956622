import {
  idDigits,
  type ReplyTarget,
  type ReplyWithheld,
  type TakeoverLine,
  type TextFrom,
  textSources,
  type TrustGrade,
  type TurnInput,
} from '#libs/contracts';
import { anyValue, idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { EventResultView, NormalizedMessageView } from '#libs/views';
import { errorOf, givenInput, replyReasonOf, type Turn } from '../../entities/turn.entity.js';

/** `open`: it is being worked on or is about to be. */
const sessionTurnStates = [
  'waiting',
  'held',
  'open',
  'succeeded',
  'failed',
  'cancelled',
  'collected',
  'handled',
] as const;
type SessionTurnState = (typeof sessionTurnStates)[number];

/** For `@ApiProperty`: the App of a session or a turn, or what started it without one. */
export const sessionSource = {
  type: String,
  pattern: `^(?:app_|api:prj_|schedule:sch_|callers:prj_)${idDigits('app', 'prj', 'sch')}$`,
  description:
    'The App; `api:<project>` or `schedule:<id>` for what the API or a schedule started, `callers:<project>` for a published agent',
} as const;

class ReplyTargetView implements ReplyTarget {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: there is no address to answer' }) channel_address:
    string | null;
  @ApiProperty({
    enum: [true],
    type: Boolean,
    required: false,
    description: "The address is the channel's setting, so a reply takes the one of its time",
  })
  by_channel?: true;
  @ApiProperty({ type: String, nullable: true }) thread_id: string | null;
  @ApiProperty({ ...anyValue, description: 'Data of the adapter, passed back unchanged' }) reply_context: unknown;
  @ApiProperty({ type: 'integer', required: false, description: 'How many deliveries between Apps in a row led here' })
  hops?: number;
  @ApiProperty({ required: false, description: 'The sender that is answered, if the App has contacts' })
  answers?: string;
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'It is not sent any more this long after it was written',
  })
  ttl_seconds?: number;
  @ApiProperty({
    enum: [true],
    type: Boolean,
    required: false,
    description: 'The channel shows that an answer is written',
  })
  typing?: true;
  @ApiProperty({ enum: [true], type: Boolean, required: false, description: 'The channel takes files with an answer' })
  files?: true;
}

class TakeoverLineView {
  @ApiProperty({ enum: ['sender', 'person'] }) by: string;
  @ApiProperty({ type: NormalizedMessageView, required: false, description: 'If `by` is sender' })
  message?: NormalizedMessageView;
  @ApiProperty({ required: false, description: 'If `by` is sender' }) verified?: boolean;
  @ApiProperty({ required: false, description: 'If `by` is sender: whether its text counts as untrusted content' })
  untrusted?: boolean;
  @ApiProperty({ required: false, description: 'If `by` is person' }) text?: string;
  @ApiProperty({ type: 'integer', description: 'How many messages of the turn came before it' })
  after: number;
}

class TurnInputView implements TurnInput {
  @ApiProperty({ type: NormalizedMessageView }) message: NormalizedMessageView;
  @ApiProperty({ description: "Whether the event's signature was checked" }) verified: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Instructions of the workflow that started the turn' })
  instructions: string | null;
  @ApiProperty({ type: ReplyTargetView, nullable: true }) reply: ReplyTargetView | null;
  @ApiProperty({ type: String, required: false, description: 'Why `reply` is null' }) reply_withheld?: ReplyWithheld;
  @ApiProperty({ type: Boolean, required: false, description: 'Set for a replay without delivery' }) rehearsal?: true;
  @ApiProperty({ required: false, description: 'Sent to the sender when the turn fails' }) failure_notice?: string;
  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description: 'Sent to the sender when a limit of the day ends the turn; null: nothing',
  })
  limit_words?: string | null;
  @ApiProperty({ enum: ['known', 'unknown', 'builtin'], required: false }) trust?: TrustGrade;
  @ApiProperty({ enum: textSources, required: false, description: 'Who wrote the text; people, when absent' })
  text_from?: TextFrom;
  @ApiProperty({ type: [String], required: false, description: 'Who started it over the API: key:<id>' })
  started_by?: string[];
  @ApiProperty({ ...idOf('con'), required: false }) contact_id?: string;
  @ApiProperty({
    type: [NormalizedMessageView],
    required: false,
    description: 'Earlier messages that are answered together with it',
  })
  earlier?: NormalizedMessageView[];
  @ApiProperty({ type: [TakeoverLineView], required: false }) takeover?: TakeoverLine[];
}

/** A turn as its session shows it. `GET /turns/{id}` shows what the engine did in it. */
export class SessionTurnView {
  @ApiProperty(idOf('trn')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(sessionSource) app_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that it answers' }) receipt_id: string;
  @ApiProperty({ ...idOf('run'), nullable: true }) run_id: string | null;
  @ApiProperty({ ...idOf('ses'), nullable: true }) session_id: string | null;
  @ApiProperty({ ...idOf('agt'), nullable: true, description: "Null: the project's Chief of Staff" }) agent_id:
    string | null;
  @ApiProperty({ type: 'integer', description: 'Epoch of the session when the turn started' }) epoch: number;
  @ApiProperty({ type: TurnInputView }) input: TurnInput;
  @ApiProperty({ enum: sessionTurnStates }) state: SessionTurnState;
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  @ApiProperty({ type: String, enum: ['sent', 'none'], nullable: true, description: 'Null until it has succeeded' })
  reply: Turn['reply'];
  @ApiProperty({ type: String, nullable: true, description: 'What the reply lacks, or why there is none' })
  reason: string | null;
  @ApiProperty({ type: 'integer', description: 'How often it was redriven' }) redrives: number;
  @ApiProperty({ ...idOf('msg'), nullable: true }) message_id: string | null;
  @ApiProperty({ ...idOf('trn'), nullable: true, description: 'The turn that answered it together with others' })
  collected_into: string | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
}

/** With what the lists of events say of it. */
class ListedSessionTurnView extends SessionTurnView {
  @ApiProperty({ type: EventResultView, nullable: true, description: 'What became of it; null: nothing is recorded' })
  result: EventResultView | null;
}

export class SessionTurnPage extends PageOf(ListedSessionTurnView) {}

export function sessionTurn(turn: Turn): SessionTurnView {
  const { id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch } = turn;
  const { reply, redrives, message_id, collected_into, created_at, ended_at: finished_at } = turn;
  return {
    id,
    organization_id,
    project_id,
    app_id,
    receipt_id,
    run_id,
    session_id,
    agent_id,
    epoch,
    // A turn in a session always has its input.
    input: givenInput(turn) as TurnInput,
    error: errorOf(turn),
    reply,
    reason: replyReasonOf(turn),
    redrives,
    message_id,
    collected_into,
    created_at,
    finished_at,
    state: stateOf(turn),
  };
}

function stateOf({ state, reason }: Pick<Turn, 'state' | 'reason'>): SessionTurnState {
  if (state === 'queued' || state === 'running' || state === 'waiting_approval') return 'open';
  return state === 'failed' && reason === 'cancelled' ? 'cancelled' : state;
}
