import { randomUUID } from 'node:crypto';
import {
  type Credentials,
  type DeliverFailure,
  deliverFailure,
  isJsonObject,
  type JsonObject,
  parseJson,
  type PolledEvent,
  stringifyJson,
  lostCall,
} from '#libs/adapter-sdk';
import { EgressError, openWebSocket, type SocketNetwork, type WebSocket } from '#libs/egress';
import { EventInbox } from '../held-sockets/event-inbox.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callSlack, type SlackSettings } from './slack-api.js';

export type SocketModeSettings = SlackSettings & SocketNetwork;

/**
 * An app's events over a WebSocket that this side opens. Slack sends again what is not acknowledged within 3 s: it is
 * acknowledged once the platform has stored it.
 * Source: https://docs.slack.dev/apis/events-api/using-socket-mode
 */
export class SocketModeSession {
  /** Of this run: positions of another mean nothing here. */
  readonly id = randomUUID();
  readonly inbox = new EventInbox();
  private readonly sockets = new Set<WebSocket>();
  private opening: Promise<DeliverFailure | null> | null = null;
  private refusal: DeliverFailure | null = null;
  private count = 0;
  private closed = false;

  constructor(
    private readonly credentials: Credentials,
    private readonly settings: SocketModeSettings,
  ) {}

  /** Opens a socket where none is open. @returns why that failed */
  async connect(): Promise<DeliverFailure | null> {
    const { refusal } = this;
    this.refusal = null;
    if (refusal) return refusal;
    return this.sockets.size > 0 ? null : this.open();
  }

  close(): void {
    this.closed = true;
    for (const socket of this.sockets) socket.close(1_000);
  }

  private open(): Promise<DeliverFailure | null> {
    this.opening ??= this.openOne().finally(() => (this.opening = null));
    return this.opening;
  }

  private async openOne(): Promise<DeliverFailure | null> {
    const token = this.credentials.app_token;
    const answer = await callSlack('apps.connections.open', { form: {} }, { token }, this.settings);
    if (!answer.ok) return answer;
    const greeted = Promise.withResolvers<void>();
    let socket: WebSocket | undefined;
    try {
      socket = await openWebSocket(textOf(answer.fields.url) ?? '', this.settings, {
        message: (text) => {
          const envelope = parseJson(text);
          if (!isJsonObject(envelope)) return;
          if (envelope.type === 'hello') greeted.resolve();
          else this.receive(envelope, (reply) => socket?.readyState === socket?.OPEN && socket?.send(reply));
          if (this.inbox.isFull) socket?.pause();
        },
        closed: () => {
          if (socket) this.sockets.delete(socket);
          greeted.reject(new EgressError('connect_failed', 'Slack closed the connection before its greeting'));
          this.inbox.wake();
        },
      });
      await within(greeted.promise, this.settings.timeoutMs);
    } catch (error) {
      socket?.terminate();
      if (error instanceof EgressError) return lostCall(error);
      throw error;
    }
    if (this.closed) socket.close(1_000);
    else this.sockets.add(socket);
    return null;
  }

  /** Continues to read where the inbox has room again. */
  resume(): void {
    if (!this.inbox.isFull) for (const socket of this.sockets) socket.resume();
  }

  private receive(envelope: JsonObject, send: (reply: string) => void): void {
    if (envelope.type === 'disconnect') return this.replace(textOf(envelope.reason));
    const id = textOf(envelope.envelope_id);
    if (id === undefined) return;
    const acknowledge = (): void => send(JSON.stringify({ envelope_id: id }));
    const event = eventOf(envelope, id);
    if (!event) return acknowledge();
    this.count += 1;
    this.inbox.add(this.count, event, acknowledge);
  }

  /** Slack says some seconds before that it is going to close a socket: the next one is open by then. */
  private replace(reason: string | undefined): void {
    if (reason === 'link_disabled') {
      this.refusal = deliverFailure('auth_failed', 'Socket Mode was switched off in the settings of the Slack app');
      return this.inbox.wake();
    }
    if (!this.closed) void this.open().then((failure) => (this.refusal ??= failure));
  }
}

/** As Slack would post it to the request URL, so that it is read in the same way. */
function eventOf({ type, payload }: JsonObject, envelopeId: string): PolledEvent | undefined {
  const fields = objectOf(payload);
  switch (type) {
    case 'events_api':
      return { id: textOf(fields.event_id) ?? envelopeId, body: stringifyJson(fields) ?? '{}' };
    case 'interactive':
      return form(envelopeId, { payload: stringifyJson(fields) ?? '{}' });
    case 'slash_commands': {
      const texts = Object.entries(fields).map(([name, value]) => [name, textOf(value) ?? ''] as const);
      return form(envelopeId, Object.fromEntries(texts));
    }
    default:
      return undefined;
  }
}

function form(id: string, fields: Record<string, string>): PolledEvent {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { id, body: new URLSearchParams(fields).toString(), headers };
}

/** @throws EgressError */
async function within(greeting: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new EgressError('timeout', 'Slack does not greet')), ms);
  try {
    await Promise.race([greeting, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
