import type { TextSink } from '../model/model.js';
import type { TurnPreviewRow } from '../entities/turn.entity.js';

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
