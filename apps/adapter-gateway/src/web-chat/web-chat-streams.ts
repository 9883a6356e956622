import { bySetting, EventStream, limitReached, Metrics, networkOf, Problem } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { type GatewaySettings, SETTINGS } from '../env.js';
import type { MailState } from './web-chat-addresses.js';
import { WebChatFiles } from './web-chat-files.js';
import { WebChatPresence } from './web-chat-presence.js';
import { type PreviewReader, WebChatPreviews } from './web-chat-previews.js';
import { readAtOnce, type ShownMessage, WebChatRepository } from './web-chat.repository.js';

/** One page that is open. */
interface Reader extends PreviewReader {
  stream: EventStream;
  /** The last message that was written to it. */
  seq: number;
  address: string;
  /** Until when an answer to what the visitor has written is looked for while it is being written. */
  awaitsUntilMs: number;
}

/** What a page is sent when it opens. */
const historyMessages = 50;
/** An answer that takes longer is shown once it is sent. */
const previewedForMs = 600_000;

/** The open pages of visitors that this process serves: one query looks for what is new for all of them. */
@Injectable()
export class WebChatStreams implements OnModuleDestroy {
  private readonly logger = new Logger('web-chat-streams');
  private readonly readers = new Set<Reader>();
  private readonly openOf = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private reading = false;
  private readsOn = false;
  private stopped = false;

  constructor(
    private readonly messages: WebChatRepository,
    private readonly previews: WebChatPreviews,
    private readonly files: WebChatFiles,
    private readonly presence: WebChatPresence,
    metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    metrics.gauge('gatehouse_web_chat_streams', 'Pages of web chats that are open', () => this.readers.size);
  }

  /** @throws Problem 429 or 503 `too_many_streams`, before anything is sent */
  requireRoom(appId: string, address: string): void {
    const { WEB_CHAT_STREAMS, WEB_CHAT_STREAMS_PER_APP, WEB_CHAT_STREAMS_PER_ADDRESS } = this.settings;
    if (this.readers.size >= WEB_CHAT_STREAMS) {
      const words = 'This service has reached its limit of open pages: try again later.';
      throw new Problem(503, 'too_many_streams', words, [], { 'retry-after': '10' });
    }
    const full = (key: string, name: string, value: number, of: 'project' | 'address'): void => {
      if ((this.openOf.get(key) ?? 0) < value) return;
      const limit = { name, of, value, raise: bySetting(name, 'adapter-gateway') };
      throw limitReached('too_many_streams', 'Too many pages with this chat are open', limit, 10);
    };
    full(appId, 'WEB_CHAT_STREAMS_PER_APP', WEB_CHAT_STREAMS_PER_APP, 'project');
    full(networkOf(address), 'WEB_CHAT_STREAMS_PER_ADDRESS', WEB_CHAT_STREAMS_PER_ADDRESS, 'address');
  }

  /**
   * @param after the last message that the page has; 0: it has none, and is sent the newest
   * @param until the visitor's token is valid
   */
  async serve(
    of: Pick<PreviewReader, 'appId' | 'visitor' | 'organizationId' | 'projectId'> & {
      address: string;
      after: number;
      until: Date | null;
      mail: MailState | null;
    },
    response: ServerResponse,
  ): Promise<void> {
    const { appId, visitor, organizationId, projectId, until } = of;
    const address = networkOf(of.address);
    // A page that was away for longer than its conversation was kept has numbers that have not been given yet.
    const after = of.after > (await this.messages.lastSeq(of)) ? 0 : of.after;
    const history = after === 0 ? await this.messages.newest(of, historyMessages) : [];
    const maxMs = Math.min(
      this.settings.WEB_CHAT_STREAM_MAX_MS,
      Math.max(1_000, (until?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now()),
    );
    this.count([appId, address], 1);
    const limits = { heartbeatMs: this.settings.WEB_CHAT_HEARTBEAT_MS, maxMs };
    const stream = new EventStream(response, limits, () => {
      this.readers.delete(reader);
      this.count([appId, address], -1);
    });
    const reader: Reader = {
      appId,
      visitor,
      organizationId,
      projectId,
      address,
      stream,
      seq: after,
      previews: new Map(),
      awaitsUntilMs: 0,
    };
    stream.write(`event: open\ndata: ${JSON.stringify({ from: after, files: this.files.limits, mail: of.mail })}\n\n`);
    for (const message of history) this.send(reader, message);
    if (this.stopped || response.destroyed) return stream.end();
    this.readers.add(reader);
    await this.presence.note([reader]);
    this.soon();
  }

  /** Something is new here; what is new in other processes is found within WEB_CHAT_READ_MS. */
  soon(): void {
    if (this.reading) this.readsOn = true;
    else void this.read();
  }

  /** Runs before the server waits for its connections to end. */
  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const { stream } of this.readers) stream.end();
  }

  private async read(): Promise<void> {
    clearTimeout(this.timer);
    if (this.stopped || this.readers.size === 0) return;
    this.reading = true;
    this.readsOn = false;
    // Who does not read is sent nothing until it does: the rows wait.
    const asked = [...this.readers].filter(({ stream }) => !stream.isBehind);
    try {
      const found = Map.groupBy(await this.messages.after(asked), ({ reader }) => reader);
      for (const [index, reader] of asked.entries()) {
        const rows = found.get(index) ?? [];
        for (const { reader: _index, ...message } of rows) this.send(reader, message);
        if (rows.length === readAtOnce) this.readsOn = true;
      }
      await this.presence.note([...found.keys()].flatMap((index) => asked[index] ?? []));
      await this.presence.noteAll(() => [...this.readers]);
    } catch (error) {
      this.logger.warn({ event: 'web_chat.not_read', reason: String(error) });
    }
    this.reading = false;
    void this.previews.show(asked.filter(({ awaitsUntilMs }) => awaitsUntilMs > Date.now()));
    if (this.readsOn) return this.read();
    this.timer = setTimeout(() => void this.read(), this.settings.WEB_CHAT_READ_MS);
  }

  /** The value of a choice stays here: the page says which it was. */
  private send(reader: Reader, { created_at: at, actions, files, ...message }: ShownMessage): void {
    const choices = actions?.map(({ id, label, style = 'default' }) => ({ id, label, style })) ?? [];
    reader.seq = message.seq;
    if (message.author === 'visitor') reader.awaitsUntilMs = at.getTime() + previewedForMs;
    reader.stream.write(`event: message\ndata: ${JSON.stringify({ ...message, choices, files: files ?? [], at })}\n\n`);
  }

  private count(keys: string[], by: 1 | -1): void {
    for (const key of keys) {
      const open = (this.openOf.get(key) ?? 0) + by;
      if (open === 0) this.openOf.delete(key);
      else this.openOf.set(key, open);
    }
  }
}
