import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Claim } from '../entities/turn.entity.js';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { PreviewRepository } from './preview.repository.js';
import type { TurnPreviewRow } from './turn-preview.entity.js';
import { TurnPreview } from './turn-preview.js';

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
  private readonly removed: Claim[] = [];
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> | null = null;
  private savedAtMs = 0;
  /** The pace of the save after the one that runs. */
  private next = 0;
  private listener: PreviewListener | null = null;

  constructor(
    private readonly rows: PreviewRepository,
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
        this.schedule(changed.row.version === 1 ? 0 : this.settings.TURN_PREVIEW_EVERY_MS);
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
    if (keep || preview.row.version === 0) return;
    this.unsaved.delete(preview);
    this.removed.push({ turn_id, claim });
    this.listener?.ended(turn_id, preview.row.session_id);
    this.schedule(this.settings.TURN_PREVIEW_EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    await this.saving;
    await this.save();
  }

  /** @param paceMs 0: the first words of a turn are not kept waiting */
  private schedule(paceMs: number): void {
    if (this.saving !== null) {
      this.next = Math.min(this.next, paceMs);
      return;
    }
    if (this.timer !== undefined && paceMs > 0) return;
    clearTimeout(this.timer);
    const waitMs = Math.max(0, this.savedAtMs + paceMs - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.next = this.settings.TURN_PREVIEW_EVERY_MS;
      this.saving = this.save().finally(() => {
        this.saving = null;
        if (this.unsaved.size > 0 || this.removed.length > 0) this.schedule(this.next);
      });
    }, waitMs);
  }

  /** One statement for all turns that run here. A preview that cannot be stored is stored with its next change. */
  private async save(): Promise<void> {
    this.savedAtMs = performance.now();
    const changed: TurnPreviewRow[] = [...this.unsaved].map(({ row }) => row);
    const removed = this.removed.splice(0);
    this.unsaved.clear();
    try {
      if (changed.length > 0) await this.rows.save(changed);
      if (removed.length > 0) await this.rows.remove(removed);
    } catch (error) {
      this.logger.warn({ event: 'previews.not_saved', turns: changed.length, reason: String(error) });
    }
  }
}
