import {
  isOfAgentCallers,
  type ContentTrust,
  isForwarded,
  isUntrusted,
  type McpCallAnswer,
  type NormalizedMessage,
  type ProjectScope,
  type ReplyTarget,
  scopeOf,
  type ToolGrade,
  toolGrades,
  type ToolImage,
  type ToolsetTool,
  type TrustGrade,
  type TurnInput,
  type TurnRunPayload,
} from '#libs/contracts';
import { linksIn } from '#libs/sanitizer';
import type { Agent } from '../../entities/agent.entity.js';
import type { Claim } from '../../entities/turn.entity.js';
import type { AttachedFile, ToolDescription } from '../model/model.js';

/** What the model is shown of a call without a result: a code and a short text, never an exception's message. */
export interface ToolFailure {
  error: { code: string; message: string };
  /** What people have to know about the call all the same, for its timeline. */
  note?: string;
}

/** A file that came with the event, as its adapter describes it. Without `fetchRef` it cannot be fetched. */
export interface TurnAttachment {
  id: string;
  name: string;
  contentType: string;
  fetchRef: string | null;
}

/** The calling turn: whose it is, who caused it, and how far that sender is trusted. */
export interface TurnScope extends ProjectScope {
  turnId: string;
  receiptId: string;
  appId: string;
  sessionId: string | null;
  agentId: string;
  contactId: string | null;
  /** As the sender claims. */
  sender: string;
  trust: TrustGrade;
  /**
   * The sending system was authenticated and the sender is admitted. Otherwise the turn may only read its own
   * conversation.
   */
  trusted: boolean;
  /** Its messages say that nobody else reads the conversation. */
  isPrivate: boolean;
  /** The turns that wait for this one; null: it answers a message. */
  calledBy: { agents: string[]; mayDo: ToolGrade } | null;
  /** A replay without delivery: calls that change something are not made. */
  rehearsal: boolean;
  /** From its message, and from those that it answers too. */
  attachments: TurnAttachment[];
  /** Where its answer goes; null: nowhere. */
  reply: ReplyTarget | null;
  /** It answers over a channel that takes files. */
  takesFiles: boolean;
  /** Who asked for the turn, `contact:<id>` or `key:<id>`. They may not decide on its calls. */
  startedBy: string[];
}

/** What a call's side may keep for later calls. A turn of no conversation is one of its own, and so is a rehearsal. */
export function conversationOf({ sessionId, turnId, rehearsal }: TurnScope): string {
  return rehearsal ? turnId : (sessionId ?? turnId);
}

/** A document that a model was shown something of. */
export interface ReadDocument {
  id: string;
  /** Null where only a fact that it states was read. */
  title: string | null;
}

/** One call in flight. */
export interface CallSite {
  turn: TurnScope;
  /** The claim of the turn, under which all is stored that the call leaves behind. */
  claim: Claim;
  /** Identifies the call in the turn, also when it is repeated after a crash. */
  ref: string;
  /** It was made in an earlier claim, and has waited since. */
  waited: boolean;
  /** The highest grade for this call: what the agent may do, or what a person approved. */
  mayDo: ToolGrade;
  /** The trust of what is in the turn's window. */
  window: ContentTrust;
  /** The only hosts that the call may reach; null: any. */
  hosts: readonly string[] | null;
  /** Lets a Python tool ask the engine for HTTP while this call runs. Only its hash is stored. */
  callbackToken: string;
  /** Reports on the timeline what a long call is doing. */
  say(progress: string): void;
  /** Bytes of images that its model may still be shown in this turn; 0: it takes none. */
  imageBytes: number;
  /** Shows the model images of the result. The result names them. */
  show(images: ToolImage[]): void;
  signal: AbortSignal;
}

/** A call has no result yet: it waits for the user, or for its server. Its turn gives its lease back, and looks again. */
export class CallWaits extends Error {
  override readonly name = 'CallWaits';
  constructor(
    readonly tool: string,
    readonly lookMs: number,
    readonly detail: Record<string, unknown>,
  ) {
    super('the turn waits for the result of a call');
  }
}

/** Makes the calls of MCP tools, which may have to wait. */
export interface McpCalls {
  /** @throws CallWaits, LeaseLost */
  make(definition: ToolsetTool, args: Record<string, unknown>, call: CallSite): Promise<McpCallEnd>;
  /** References of the calls of a turn that wait. */
  ofTurn(turnId: string): Promise<ReadonlySet<string>>;
  /** Has a turn that waits go on, if an answer came before it gave its lease back. */
  wakeAnswered(turnId: string): Promise<void>;
}

export type McpCallEnd =
  Exclude<McpCallAnswer, { waits: unknown } | { ok: false }> | { ok: false; error: string; message: string };

/** Injection token of `McpCalls`. */
export const MCP_CALLS = Symbol('McpCalls');

/** A capability that an agent may call. */
export interface Tool extends ToolDescription {
  source: ToolsetTool['source'] | 'agent';
  /** The slug of the Skill that provides it; null: the agent has it by itself. */
  skill: string | null;
  /** The registry's id; null for a built-in that the agent has without a Skill. */
  id: string | null;
  /** Version of the registry's definition; null for a built-in, which only changes with a release. */
  pin: string | null;
  /** What a call has begun goes on elsewhere: an interrupted call is taken up, not made again. Absent: it does not. */
  resumes?: true;
  /** In a rehearsal it is called too, since what it does is rehearsed. Absent: only where it just reads. */
  rehearses?: true;
  /** The lowest grade that a call can have. */
  least: ToolGrade;
  /** Its results come from outside, so they are sanitised. */
  external: boolean;
  /** How far a result is trusted; absent: an external tool's is `untrusted`, any other's `own`. */
  trustOf?(result: unknown, call: CallSite, args: Record<string, unknown>): ContentTrust | Promise<ContentTrust>;
  /** An address that a call would reach and that is none of these hosts, in words; null: there is none. */
  elsewhere(args: Record<string, unknown>, hosts: readonly string[]): string | null;
  /** How much a call with these (valid) arguments can change. */
  grade(args: Record<string, unknown>): ToolGrade;
  /** True when a second call with the same arguments does no more than the first. */
  idempotent(args: Record<string, unknown>): boolean;
  /** The part of a result that is compared with the same call's earlier result; absent: all of it. */
  compared?(result: unknown): unknown;
  /** What people have to know about a call with this result, for the timeline; null: nothing. */
  noted?(result: unknown): string | null;
  /** The documents of the project's knowledge that a result is from. */
  documents?(result: unknown): ReadDocument[];
  /** For a search for tools: the tools that the model may call after this result. */
  reveals?(result: unknown): string[];
  /** Throws only for the signal, never for what the other side does. */
  run(args: Record<string, unknown>, call: CallSite): Promise<unknown>;
}

export function failure(code: string, message: string): ToolFailure {
  return { error: { code, message } };
}

/** What the result itself says about its call, for the timeline. */
export function noteIn(result: unknown): string | null {
  return ((result ?? {}) as { note?: string }).note ?? null;
}

export function isFailure(result: unknown): result is ToolFailure {
  return (
    typeof result === 'object' &&
    result !== null &&
    'error' in result &&
    typeof (result as { error: { code?: unknown } | null }).error?.code === 'string'
  );
}

/** Whether a call of this grade does more than `most` allows. */
export function exceeds(grade: ToolGrade, most: ToolGrade): boolean {
  return toolGrades.indexOf(grade) > toolGrades.indexOf(most);
}

/** Whether a URL's host is among these. @param hosts each as in `matchesHost` */
export function isNamed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((host) => matchesHost(url, host));
}

/** @param host `api.example.com`, `*.example.com` for every name under it, or `host:port` */
export function matchesHost(url: URL, host: string): boolean {
  const wanted = host.toLowerCase();
  if (wanted.startsWith('*.')) return url.hostname.endsWith(wanted.slice(1)) && url.port === '';
  return wanted === url.host || (url.port === '' && wanted === `${url.host}:${url.protocol === 'https:' ? 443 : 80}`);
}

/** What the model is given of the event's attachments. Files that the turn can read by `read_file` are in neither list. */
export interface GivenAttachments {
  files: AttachedFile[];
  /**
   * `text_only`: the model takes no images. `no_tool`: the turn cannot read files. `not_image`, `not_pdf`: its bytes
   * are none that models take. `too_large`, `too_many`: over the limits of a turn. `not_recorded`: an earlier turn is asked again, and
   * nothing is fetched. Others are those of `read_file`.
   */
  leftOut: { id: string; name: string; why: string }[];
  /** Words in a picture may be anybody's, like those of any attachment. `own`: none was asked for. */
  trust: ContentTrust;
}

/** What a turn can do with attachments. */
export interface AttachmentAbilities {
  /** Of the model, or of one in its chain. */
  takesImages: boolean;
  takesPdf: boolean;
  /** The turn has `read_file`. */
  readsFiles: boolean;
  /** An earlier turn is asked again, and nothing is called. */
  isRepeated: boolean;
}

/** Whether its sender's program calls it audio. What it is, its bytes say. */
export function isAudio({ name, contentType }: TurnAttachment): boolean {
  if (contentType !== '' && contentType !== 'application/octet-stream') return /^audio\//i.test(contentType);
  return /\.(aac|amr|flac|m4a|mp3|oga|ogg|opus|wav|weba)$/i.test(name);
}

/** Fetches what a turn's model is given of the event's attachments. */
export interface Attachments {
  /** The input with the words of its voice notes. @throws LeaseLost, or the signal's reason */
  heard(payload: TurnRunPayload, claim: Claim, input: TurnInput, signal: AbortSignal): Promise<TurnInput>;
  of(turn: TurnScope, abilities: AttachmentAbilities): Promise<GivenAttachments>;
}

/** Injection token of `Attachments`. */
export const ATTACHMENTS = Symbol('Attachments');

/** Hosts of the addresses that a trusted sender wrote: whoever asks for a page has named it. */
export function namedBy({ trusted }: TurnScope, input: TurnInput): string[] {
  // What a model asks names nothing: it may have read the address anywhere.
  if (!trusted || isUntrusted(input) || input.called_by) return [];
  const own = [...(input.earlier ?? []), input.message].filter((message) => !isForwarded(message));
  const links = own.flatMap(({ message }) => linksIn(message));
  return [...new Set(links.filter((link) => URL.canParse(link)).map((link) => new URL(link).host))];
}

/** A sender is trusted when it is admitted and its system was authenticated. Both must be stated in the input. */
export function turnScope(
  payload: TurnRunPayload,
  sessionId: string | null,
  input: TurnInput,
  agent: Agent,
): TurnScope {
  const trust = input.trust ?? 'unknown';
  return {
    ...scopeOf(payload),
    turnId: payload.turn_id,
    receiptId: payload.receipt_id,
    appId: payload.app_id,
    sessionId,
    agentId: agent.id,
    contactId: input.contact_id ?? null,
    sender: input.message.sender,
    trust,
    trusted: input.verified && trust !== 'unknown',
    isPrivate: [input.message, ...(input.earlier ?? [])].every(({ is_dm: isDirect }) => isDirect === true),
    calledBy: input.called_by ? { agents: input.called_by.agents, mayDo: input.called_by.may_do } : null,
    rehearsal: input.rehearsal === true,
    reply: input.reply,
    // Files of an answer that is fetched are fetched with it.
    takesFiles:
      isOfAgentCallers(payload.app_id) || (input.reply?.files === true && input.reply.channel_address !== null),
    startedBy: [...(input.contact_id ? [`contact:${input.contact_id}`] : []), ...(input.started_by ?? [])],
    attachments: [input.message, ...(input.earlier ?? [])].flatMap(attachmentsOf),
  };
}

export function attachmentsOf({ metadata }: Pick<NormalizedMessage, 'metadata'>): TurnAttachment[] {
  const attachments = metadata?.['attachments'];
  if (!Array.isArray(attachments)) return [];
  return (attachments as unknown[]).flatMap((each) => {
    const { id, name, content_type: type, fetch_ref: ref } = (each ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || id === '') return [];
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    return [{ id, name: text(name), contentType: text(type), fetchRef: text(ref) || null }];
  });
}
