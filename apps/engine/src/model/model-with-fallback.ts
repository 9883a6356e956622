import { type Completion, type Model, ModelError, type ModelMessage, type ToolDescription } from './model.js';

/**
 * Asks the second model when the first one gives no answer, and stays with it for the rest of the turn: a turn must not
 * wait out the same time-out at every step. One instance serves one turn.
 */
export class ModelWithFallback implements Model {
  private current: Model;

  constructor(
    first: Model,
    private readonly second: Model,
  ) {
    this.current = first;
  }

  async complete(messages: ModelMessage[], tools: ToolDescription[], signal: AbortSignal): Promise<Completion> {
    try {
      return await this.current.complete(messages, tools, signal);
    } catch (error) {
      // A conversation that is too long is shortened for the model that the agent names.
      if (!(error instanceof ModelError) || this.current === this.second || error.code === 'context_length')
        throw error;
      const answer = await this.askSecond(error, messages, tools, signal);
      this.current = this.second;
      return answer;
    }
  }

  private async askSecond(
    first: ModelError,
    messages: ModelMessage[],
    tools: ToolDescription[],
    signal: AbortSignal,
  ): Promise<Completion> {
    try {
      return await this.second.complete(messages, tools, signal);
    } catch (error) {
      // What the second one refuses for good, the first may answer when it is there again.
      throw first.away && error instanceof ModelError && !error.away ? first : error;
    }
  }
}
