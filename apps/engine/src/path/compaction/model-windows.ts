import { Database } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';

/** Leaves room for what the estimate of characters misses. */
const margin = 0.9;
/** Until a call says how many characters of its conversations are a token: as in code and dense languages. */
const fewestCharsPerToken = 3;
const maxKept = 5_000;
/** No model takes less. An endpoint that refuses less has another fault, which must not shorten each later turn. */
const fewestChars = 4_000;

/** How much of a conversation one model takes. */
export interface LearnedWindow {
  /** Characters of a request; null: nothing is known. */
  readonly chars: number | null;
  /** A call was answered, and its endpoint counted its tokens. */
  used(chars: number, tokens: number): void;
  /** A call was refused as too long. @param message the endpoint's words: many name the limit */
  refused(chars: number, message: string): Promise<void>;
}

interface Known {
  chars: number | null;
  charsPerToken: number | null;
  readMs: number;
}

/**
 * Remembers for later turns what a model refused. Forgotten after MODEL_WINDOW_KEPT_MS: the model behind a name may have
 * changed to a larger one.
 */
@Injectable()
export class ModelWindows {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  async of(projectId: string, model: string): Promise<LearnedWindow> {
    const known = await this.read(projectId, model);
    return {
      get chars() {
        return known.chars;
      },
      used: (chars, tokens) => {
        if (tokens > 0) known.charsPerToken = chars / tokens;
      },
      refused: async (chars, message) => {
        const named = tokensIn(message);
        const room = named === null ? null : named - Math.min(this.settings.MODEL_MAX_OUTPUT_TOKENS, named / 2);
        const byTokens = room === null ? chars : room * (known.charsPerToken ?? fewestCharsPerToken);
        const learned = Math.floor(margin * Math.min(chars, byTokens, known.chars ?? chars));
        if (learned < fewestChars) return;
        known.chars = learned;
        await this.db.query(
          `INSERT INTO engine.model_window (project_id, model, chars) VALUES ($1, $2, $3)
           ON CONFLICT (project_id, model) DO UPDATE SET chars = excluded.chars, learned_at = now()`,
          [projectId, model, known.chars],
        );
      },
    };
  }

  private async read(projectId: string, model: string): Promise<Known> {
    const key = JSON.stringify([projectId, model]);
    const found = this.known.get(key);
    if (found && Date.now() - found.readMs < this.settings.CHANGE_CACHE_MS) return found;
    const [row] = (await this.db.query(
      `SELECT chars FROM engine.model_window
        WHERE project_id = $1 AND model = $2 AND learned_at > now() - $3 * interval '1 millisecond'`,
      [projectId, model, this.settings.MODEL_WINDOW_KEPT_MS],
    )) as { chars: number }[];
    if (this.known.size >= maxKept) this.known.clear();
    const known = { charsPerToken: found?.charsPerToken ?? null, chars: row?.chars ?? null, readMs: Date.now() };
    this.known.set(key, known);
    return known;
  }
}

/** The limit that a refusal names: "maximum context length is 8192 tokens", "200000 maximum". */
function tokensIn(message: string): number | null {
  const [, first, second] =
    /(?:maximum|max|limit|context)\D{0,60}?(\d[\d,]{2,9})|(\d[\d,]{2,9})\D{0,20}?maximum/i.exec(message) ?? [];
  const tokens = Number((first ?? second ?? '').replaceAll(',', ''));
  return tokens >= 256 ? tokens : null;
}
