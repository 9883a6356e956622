import { StepRepository } from '../../steps/step.repository.js';
import { failure, type Tool } from '../tool.js';

const defaultHits = 5;
const mostHits = 20;
const shownDescription = 300;

interface FoundTools {
  tools: { name: string; skill: string | null; description: string }[];
  /** How many more tools match some of the words. */
  more: number;
  note: string;
}

/**
 * `find_tools`: searches, word by word, the tools beyond the number that a model is shown. Tools that it finds are
 * shown and may be called from the next step on.
 */
export function findToolsTool(searched: Tool[]): Tool {
  return {
    name: 'find_tools',
    description: `Finds more tools: ${searched.length} are not listed here (${ofSkills(searched)}). What it finds may be called in the next step: {tools: [{name, skill, description}], more}.`,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 400, description: 'Words of what the tool should do' },
        limit: { type: 'integer', minimum: 1, maximum: mostHits },
      },
    },
    source: 'builtin',
    skill: null,
    id: null,
    pin: null,
    least: 'read',
    // The definitions are approved, and the model would be shown them without a search too.
    external: false,
    elsewhere: () => null,
    grade: () => 'read',
    idempotent: () => true,
    run: (args) => Promise.resolve(found(searched, String(args['query']), Number(args['limit'] ?? defaultHits))),
    reveals: (result) => namesIn(result),
  };
}

function found(searched: Tool[], query: string, limit: number): FoundTools {
  const words = [...new Set(wordsOf(query))];
  const ranked = searched
    .map((tool, at) => ({ tool, at, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.at - b.at);
  const hits = ranked.slice(0, limit).map(({ tool: { name, skill, description } }) => ({
    name,
    skill,
    description: description.slice(0, shownDescription),
  }));
  const note =
    hits.length > 0
      ? 'These may be called from the next step on.'
      : `No tool has these words. Try others; there are ${ofSkills(searched)}.`;
  return { tools: hits, more: ranked.length - hits.length, note };
}

/** A match counts most in the name, then in the Skill, and least in the description and parameter names. */
function scoreOf(tool: Tool, words: string[]): number {
  const name = wordsOf(tool.name);
  const skill = wordsOf(tool.skill ?? '');
  const rest = wordsOf(`${tool.description} ${Object.keys(propertiesOf(tool)).join(' ')}`);
  return words.reduce((sum, word) => {
    const within = (texts: string[]): boolean => texts.some((text) => text === word || text.startsWith(word));
    return sum + (within(name) ? 6 : 0) + (within(skill) ? 3 : 0) + (within(rest) ? 2 : 0);
  }, 0);
}

function propertiesOf({ parameters }: Tool): object {
  const { properties } = parameters as { properties?: unknown };
  return typeof properties === 'object' && properties !== null ? properties : {};
}

function wordsOf(text: string): string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function ofSkills(tools: Tool[]): string {
  const counts = Map.groupBy(tools, ({ skill }) => skill ?? 'without a Skill');
  const named = [...counts].slice(0, 20).map(([skill, some]) => `${skill}: ${some.length}`);
  return `${named.join(', ')}${counts.size > named.length ? ', …' : ''}`;
}

function namesIn(result: unknown): string[] {
  const { tools } = (result ?? {}) as Partial<FoundTools>;
  return Array.isArray(tools) ? tools.map(({ name }) => name) : [];
}

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
