import {
  type McpCallAnswer,
  type McpCallContinued,
  type McpCallWaits,
  type McpQuestion,
  type TurnInput,
  turnRun,
  type TurnRunPayload,
} from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from './engine-world.js';
import { type FakeServices, toolOf, toolsetOf } from './fake-services.js';
import { agentOf, turnsOf } from './turns-of.js';

/** A call as the registry gets it. */
interface RegistryCall {
  may_ask?: boolean;
  may_wait?: boolean;
  call_id: string;
  arguments: object;
  continued?: McpCallContinued;
}

/** A message as the gateway gets it. */
interface DirectMessage {
  message: { text: string };
  channel_address: string;
  idempotency_key: string;
}

export const server = { id: 'mcp_1', name: 'Travel *desk*' };

/** A question whose texts are Markdown and HTML. */
export const seatForm: McpQuestion = {
  mode: 'form',
  message: 'Which seat?\nAisle or <b>window</b>',
  schema: {
    type: 'object',
    properties: {
      seat: { type: 'string', enum: ['aisle', 'window'] },
      bags: { type: 'integer', minimum: 0, maximum: 2, default: 1 },
    },
    required: ['seat'],
  },
};

export const result = (content: string): McpCallAnswer => ({ ok: true, content, is_error: false, truncated: false });

export const waits = (over: Partial<McpCallWaits> = {}): McpCallAnswer => ({
  ok: true,
  waits: { server, questions: {}, ...over },
});

export const task = (over: Partial<NonNullable<McpCallWaits['task']>> = {}) => ({
  id: 'task-1',
  poll_ms: 50,
  ttl_ms: null,
  words: null,
  ...over,
});

const linkIn = (text: string): string => /\/questions\/([\w-]+)/.exec(text)?.[1] ?? '';

/** An engine whose agent calls an MCP server that answers later: it asks the user first, or makes a task of a call. */
export class TravelDesk {
  /** What the registry answers, call by call; the last one stays. */
  answers: McpCallAnswer[] = [];

  private constructor(
    readonly world: EngineWorld,
    private readonly agent: string,
  ) {}

  static async start(): Promise<TravelDesk> {
    const world = await engineWorld({ scopes: ['agents:read'] });
    const agent = await agentOf(world, { skills: ['skl_desk'] });
    await world.start({
      TURN_LEASE_MS: 2_000,
      CALL_INPUT_ROUNDS: 2,
      CALL_SEND_TRIES: 2,
      CALL_TASK_LOOK_MS: 50,
      TURN_TYPING_EVERY_MS: 30_000,
      ROUTER_URL: world.services.url,
      GATEWAY_URL: world.services.url,
    });
    return new TravelDesk(world, agent);
  }

  close(): Promise<void> {
    return this.world.close();
  }

  get services(): FakeServices {
    return this.world.services;
  }

  /** Forgets all requests. `con_ada` can be asked in private, `con_shy` cannot. */
  reset(): void {
    this.services.requests.length = 0;
    const address = { app_id: 'app_dm', channel_address: 'D1', thread_id: null, reply_context: null, sender: 'U1' };
    const tools = [toolOf({ name: 'book', grade: 'write' }), toolOf({ name: 'look', idempotent: true })];
    this.answers = [];
    this.services.on('/internal/toolsets', () => toolsetOf(tools));
    this.services.on('/internal/contacts/con_ada/private-address', () => ({ address }));
    this.services.on('/internal/contacts/con_shy/private-address', () => ({ address: null }));
    this.services.on('/internal/adapter-calls/deliver', () => ({
      delivery_id: 'dlv_1',
      state: 'delivered',
      error: null,
    }));
    this.services.on('/internal/tool-calls', () =>
      this.answers.length > 1 ? this.answers.shift()! : this.answers[0]!,
    );
  }

  calls(): RegistryCall[] {
    return this.services.bodies<RegistryCall>('/internal/tool-calls');
  }

  messages(): DirectMessage[] {
    return this.services.bodies<DirectMessage>('/internal/adapter-calls/deliver');
  }

  /** Starts a turn whose model makes one call. @param contact who wrote; null: nobody whom the router knows */
  async begin(contact: string | null = 'con_ada', tool = 'desk__book', input: Partial<TurnInput> = {}) {
    this.world.model.script([{ name: tool, arguments: '{}' }], 'Booked.');
    const turn = turnOf({ agent_id: this.agent }, { ...input, ...(contact === null ? {} : { contact_id: contact }) });
    await this.world.jobs.enqueue(turnRun, turn);
    return turn;
  }

  /** Waits until so many messages have asked the contact. @returns the token of the last one's link */
  asked(count = 1): Promise<string> {
    return until(
      'the contact is asked',
      () => this.messages().length >= count && linkIn(this.messages()[count - 1]!.message.text),
    );
  }

  page(token: string): Promise<Response> {
    return fetch(`${this.world.url}/api/v1/questions/${token}`);
  }

  post(token: string, fields: Record<string, string>): Promise<Response> {
    const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    const headers = { 'content-type': 'text/plain' };
    return fetch(`${this.world.url}/api/v1/questions/${token}`, { method: 'POST', headers, body: lines.join('\r\n') });
  }

  ends(turnId: string) {
    return turnsOf(this.world).reaches(turnId, 'succeeded', 'failed');
  }

  /** The calls that wait, as the API lists them. */
  async open() {
    return (await this.world.call('GET', 'open-calls')).body.data;
  }

  waiting(turnId: string) {
    return until('the turn waits', async () => (await turnsOf(this.world).row(turnId)).reason === 'call_waits');
  }

  /** As if its process had died: another one takes the turn over, and what this one hears is stored by nobody. */
  takeOver(turnId: string) {
    const sql = `UPDATE engine.turn SET claim = claim + 1, state = 'queued', owner = NULL, due_at = now() WHERE id = $1`;
    return this.world.query(sql, [turnId]);
  }

  /** Has a turn that waits look again, however long it would wait. */
  async lookNow(turn: TurnRunPayload): Promise<void> {
    const sql = `UPDATE engine.turn SET due_at = now() WHERE id = $1 AND state = 'queued' AND reason = 'call_waits'`;
    await this.world.query(sql, [turn.turn_id]);
    await this.world.jobs.enqueue(turnRun, turn);
  }

  /** What the timeline shows of a call while it goes on. */
  async progressOf(turnId: string) {
    const sql = `SELECT detail ->> 'note' AS note FROM ${everyEntry} e WHERE subject_id = $1 AND reason = 'tool_running' ORDER BY at`;
    return (await this.world.query(sql, [turnId])).map(({ note }) => note);
  }
}
