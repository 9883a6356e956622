import { StepRepository } from '../../steps/step.repository.js';
import { failure, type Tool } from '../tool.js';

const defaultChars = 8_000;
const mostChars = 24_000;

/** `read_result`: reads more of a result that was too long to be shown whole. Every turn with tools has it. */
export function readResultTool(steps: StepRepository): Tool {
  return {
    name: 'read_result',
    description: 'Reads a part of an earlier result of this turn that was shown shortened: {text, next_offset, chars}.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['handle'],
      properties: {
        handle: { type: 'string', maxLength: 100 },
        offset: { type: 'integer', minimum: 0, maximum: 100_000_000 },
        max_chars: { type: 'integer', minimum: 1, maximum: mostChars },
      },
    },
    source: 'builtin',
    skill: null,
    id: null,
    pin: null,
    least: 'read',
    external: true,
    // The result was already read, and counted, when it was first shown.
    trustOf: () => 'own',
    elsewhere: () => null,
    grade: () => 'read',
    idempotent: () => true,
    run: async (args, { turn }) => {
      const offset = Number(args['offset'] ?? 0);
      const chars = Number(args['max_chars'] ?? defaultChars);
      const part = await steps.partOfResult(turn.turnId, String(args['handle']), offset, chars);
      if (!part) return failure('unknown_handle', 'No result of this turn has that handle.');
      const next = offset + part.text.length;
      return { text: part.text, next_offset: next < part.chars ? next : null, chars: part.chars };
    },
  };
}
