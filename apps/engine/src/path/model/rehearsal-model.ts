import {
  type CallOptions,
  type Completion,
  type Model,
  type ModelEvent,
  type ModelMessage,
  noReplyWord,
  type ToolCall,
  type ToolDescription,
} from './model.js';
import { type Directives, fillCall, fillTemplate, lacksResult, readDirectives } from './rehearsal-directives.js';
import { sampleOf } from './sample-of.js';

const shownChars = 500;
const cacheSize = 500;

/**
 * Answers while no model is configured. The same input gives the same answer, and the answer says where it comes from.
 * It follows directives in the system message only: text from outside is shown, never obeyed.
 */
export class RehearsalModel implements Model {
  readonly isRehearsal = true;
  private readonly read = new Map<string, Directives>();

  complete(
    messages: ModelMessage[],
    tools: ToolDescription[],
    _signal?: AbortSignal,
    { sink, output }: CallOptions = {},
  ): Promise<Completion> {
    const completion = this.answerTo(messages, tools, output);
    sink?.write(completion.text);
    return Promise.resolve(completion);
  }

  private answerTo(messages: ModelMessage[], tools: ToolDescription[], output: CallOptions['output']): Completion {
    const instructions = messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n');
    const directives = this.directives(instructions);
    const event = eventOf(messages);
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
    const last = results.at(-1);
    const call = directives.calls[results.length];
    const offered = call && tools.some((tool) => tool.name === call.name);
    if (offered) {
      const id = `rehearsal_${results.length + 1}`;
      return answer('', [{ id, name: call.name, arguments: fillCall(call, event, last?.result) }]);
    }
    if (directives.reply !== null) {
      if (lacksResult(directives.reply, event, last?.result)) {
        if (call) return answer(`Rehearsal model: this turn does not have ${call.name}.`, []);
        const failed = fillTemplate('{{result.error.message}}', event, last?.result);
        if (failed !== '') return answer(`Rehearsal model: ${last?.name} failed: ${failed}`, []);
      }
      const filled = fillTemplate(directives.reply, event, last?.result);
      return answer(filled.trim() === '' ? noReplyWord : filled, []);
    }
    if (output) return answer(JSON.stringify(sampleOf(output)), []);
    const text = event.message.slice(0, shownChars);
    return answer(`Rehearsal model (no model is configured). Message from ${event.sender}: "${text}"`, []);
  }

  private directives(instructions: string): Directives {
    const known = this.read.get(instructions);
    if (known) return known;
    const directives = readDirectives(instructions);
    if (this.read.size >= cacheSize) this.read.clear();
    this.read.set(instructions, directives);
    return directives;
  }
}

function eventOf(messages: ModelMessage[]): ModelEvent {
  for (const message of messages.toReversed()) if (message.role === 'user' && message.event) return message.event;
  throw new Error('the prompt has no event');
}

function answer(text: string, calls: ToolCall[]): Completion {
  return {
    text,
    tool_calls: calls,
    input_tokens: 0,
    output_tokens: 0,
    model: 'rehearsal',
    finish_reason: calls.length > 0 ? 'tool-calls' : 'stop',
  };
}
