import type { ReplyTarget, ScopeColumns, TurnInput } from '#libs/contracts';
import { Database, type Queryable, storableJson } from '#libs/database';
import type { ServiceClient } from '#libs/service-kit';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Claim, TurnPreviewRow } from '../../entities/turn.entity.js';
import { type EngineSettings, GATEWAY, SETTINGS } from '../../settings.js';
import type { TextSink } from '../model/model.js';

/** Follows the previews of turns that run in this process. */
export interface PreviewListener {
  changed(preview: TurnPreview, sessionId: string): void;
  ended(turnId: string, sessionId: string): void;
}

/**
 * The previews of turns that run here. Those who follow in this process hear of each change at once. For the others, and
 * for a claim after this one, the rows are written together, at a pace: a stream costs no commit a word.
 */
@Injectable()
export class Previews implements OnModuleDestroy {
  private readonly logger = new Logger('previews');
  private readonly live = new Map<string, TurnPreview>();
  private readonly unsaved = new Set<TurnPreview>();
  /** Those that have a row, or will have one in a moment. */
  private readonly saved = new Set<TurnPreview>();
  private readonly removed: Claim[] = [];
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> | null = null;
  private listener: PreviewListener | null = null;

  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  follow(listener: PreviewListener): void {
    this.listener = listener;
  }

  /** Whether a preview of a turn that runs here is newer than any row. */
  isLive(turnId: string): boolean {
    return this.live.has(turnId);
  }

  liveOf(sessionId: string): TurnPreview[] {
    return [...this.live.values()].filter(({ row }) => row.session_id === sessionId);
  }

  /** @returns null where nobody can follow the turn */
  begin({ turn_id, claim }: Claim, sessionId: string | null): TurnPreview | null {
    if (sessionId === null) return null;
    const preview = new TurnPreview(
      { turn_id, session_id: sessionId, claim },
      this.settings.TURN_PREVIEW_CHARS,
      (changed) => {
        if (this.live.get(turn_id) !== changed) return;
        this.unsaved.add(changed);
        this.listener?.changed(changed, sessionId);
        this.schedule();
      },
    );
    this.live.set(turn_id, preview);
    return preview;
  }

  /**
   * The claim does no more.
   * @param keep its turn is tried again: what it wrote stays until the next claim writes
   */
  end({ turn_id, claim }: Claim, keep: boolean): void {
    const preview = this.live.get(turn_id);
    if (!preview || preview.row.claim !== claim) return;
    this.live.delete(turn_id);
    const isSaved = this.saved.delete(preview);
    if (keep || preview.row.version === 0) return;
    this.unsaved.delete(preview);
    this.listener?.ended(turn_id, preview.row.session_id);
    // A quick turn has no row to remove, unless an earlier claim has left one.
    if (!isSaved && claim === 1) return;
    this.removed.push({ turn_id, claim });
    this.schedule();
  }

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    await this.saving;
    await this.save();
  }

  /** Nothing is written at once: a turn that ends within the pace costs no commit. */
  private schedule(): void {
    if (this.saving !== null || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.saving = this.save().finally(() => {
        this.saving = null;
        if (this.unsaved.size > 0 || this.removed.length > 0) this.schedule();
      });
    }, this.settings.TURN_PREVIEW_EVERY_MS);
  }

  /** One statement for all turns that run here. A preview that cannot be stored is stored with its next change. */
  private async save(): Promise<void> {
    const changed: TurnPreviewRow[] = [...this.unsaved].map(({ row }) => row);
    const removed = this.removed.splice(0);
    for (const preview of this.unsaved) if (this.live.get(preview.row.turn_id) === preview) this.saved.add(preview);
    this.unsaved.clear();
    try {
      if (changed.length > 0) await savePreviews(this.db, changed);
      if (removed.length > 0) await removePreviews(this.db, removed);
    } catch (error) {
      this.logger.warn({ event: 'previews.not_saved', turns: changed.length, reason: String(error) });
    }
  }
}

/** What one claim of a turn is doing, as far as those who follow it see it. */
export class TurnPreview implements TextSink {
  private version = 0;
  private step = 0;
  private tools: string[] = [];
  private text = '';

  /**
   * @param maxChars of text; a longer answer is seen whole when it is sent
   * @param onChange called at each change, which may be many times a second
   */
  constructor(
    private readonly of: Pick<TurnPreviewRow, 'turn_id' | 'session_id' | 'claim'>,
    private readonly maxChars: number,
    private readonly onChange: (preview: TurnPreview) => void,
  ) {}

  get row(): TurnPreviewRow {
    const { version, step, tools, text } = this;
    return { ...this.of, version, step, tools, text };
  }

  /** The model is asked: what it writes from here on belongs to this step. */
  begin(step: number): void {
    this.step = step;
    this.tools = [];
    this.text = '';
  }

  write(text: string): void {
    const room = this.maxChars - this.text.length;
    if (text === '' || room <= 0) return;
    this.text += text.slice(0, room);
    this.changed();
  }

  restart(): void {
    if (this.text === '') return;
    this.text = '';
    this.changed();
  }

  /** What the model has written stays beside the tools that it calls. */
  calling(tools: string[]): void {
    this.tools = tools;
    this.changed();
  }

  private changed(): void {
    this.version += 1;
    this.onChange(this);
  }
}

/** Stores previews, several in one statement. A claim that has lost its turn changes nothing. */
export async function savePreviews(db: Queryable, previews: TurnPreviewRow[]): Promise<void> {
  await db.query(
    `INSERT INTO engine.turn_preview AS p (turn_id, session_id, claim, version, step, tools, text)
     SELECT turn_id, session_id, claim, version, step, tools, text
       FROM jsonb_to_recordset($1::jsonb) AS x(turn_id text, session_id text, claim integer, version integer,
            step integer, tools text[], text text) ORDER BY turn_id
     ON CONFLICT (turn_id) DO UPDATE SET claim = excluded.claim, version = excluded.version, step = excluded.step,
            tools = excluded.tools, text = excluded.text
      WHERE (p.claim, p.version) < (excluded.claim, excluded.version)`,
    [storableJson(previews)],
  );
}

/** Removes what these claims and earlier ones wrote. */
export async function removePreviews(db: Queryable, claims: Claim[]): Promise<void> {
  await db.query(
    `DELETE FROM engine.turn_preview p USING jsonb_to_recordset($1::jsonb) AS x(turn_id text, claim integer)
      WHERE p.turn_id = x.turn_id AND p.claim <= x.claim`,
    [storableJson(claims)],
  );
}

/** Of a message's id; a longer one is not sent along. */
const mostIdChars = 500;

/** Lets whoever waits for an answer see that it is being written, where the channel shows that. */
@Injectable()
export class TypingSignal {
  private readonly logger = new Logger('typing');

  constructor(
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    @Inject(SETTINGS) private readonly settings: Pick<EngineSettings, 'TURN_TYPING_EVERY_MS'>,
  ) {}

  /**
   * Says so at once and again in time, as providers forget it after seconds.
   * @param isBrief it may be over at once, and then nothing is said. @returns ends it; never throws
   */
  begin(scope: ScopeColumns, input: Pick<TurnInput, 'reply' | 'message'> | null, isBrief = false): () => void {
    const reply = input?.reply ?? null;
    const { message_id: given } = input?.message.metadata ?? {};
    const messageId = typeof given === 'string' && given !== '' && given.length <= mostIdChars ? given : null;
    const { TURN_TYPING_EVERY_MS: everyMs } = this.settings;
    if (reply?.typing !== true || reply.channel_address === null || everyMs === 0) return () => undefined;
    let isAsking = false;
    let isShown = false;
    const ask = async (state: 'working' | 'done'): Promise<void> => {
      if (isAsking && state === 'working') return;
      isAsking = true;
      isShown = true;
      await this.indicate(scope, reply, messageId, state);
      isAsking = false;
    };
    if (!isBrief) void ask('working');
    const timer = setInterval(() => void ask('working'), everyMs).unref();
    return () => {
      clearInterval(timer);
      if (isShown) void ask('done');
    };
  }

  private async indicate(
    scope: ScopeColumns,
    reply: ReplyTarget,
    messageId: string | null,
    state: 'working' | 'done',
  ): Promise<void> {
    const { organization_id: organizationId, project_id: projectId } = scope;
    const { app_id, channel_address, thread_id } = reply;
    const asked = {
      app_id,
      channel_address,
      ...(thread_id === null ? {} : { thread_id }),
      ...(messageId === null ? {} : { message_id: messageId }),
      state,
    };
    try {
      await this.gateway.post('/internal/adapter-calls/indicate', { organizationId, projectId }, asked);
    } catch (error) {
      // Nothing depends on it: the answer comes all the same.
      this.logger.debug({ event: 'typing.not_shown', app: app_id, error: String(error) });
    }
  }
}
