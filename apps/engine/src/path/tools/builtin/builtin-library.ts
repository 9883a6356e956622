import { builtinTools, type ContentTrust, type ToolGrade } from '#libs/contracts';
import { StepRepository } from '../../steps/step.repository.js';
import type { BoundCredentials } from '../bound-credentials.js';
import { type CallSite, failure, type ReadDocument, type Tool } from '../tool.js';

/** What a result's trust depends on, besides the result. */
const trustIn =
  (trustOf: NonNullable<BuiltinWork['trustOf']>, credentials: BoundCredentials): NonNullable<Tool['trustOf']> =>
  (result, _call, args) =>
    trustOf(result, args, credentials);

interface SkillPlace {
  toolId: string;
  slug: string | null;
}

/** The standard tool library: the definitions of the contracts with their implementations. */
export class BuiltinLibrary {
  private readonly works: Map<string, BuiltinWork>;

  /** @throws Error for a definition without an implementation: the contracts promise it to every Skill */
  constructor(works: Record<string, BuiltinWork>) {
    this.works = new Map(Object.entries(works));
    const missing = builtinTools.filter(({ name }) => !this.works.has(name)).map(({ name }) => name);
    if (missing.length > 0) throw new Error(`built-in tools without work: ${missing.join(', ')}`);
  }

  get names(): string[] {
    return builtinTools.map(({ name }) => name);
  }

  /**
   * @param modelName the name that the model sees
   * @param skill the Skill that provides the tool: the registry's id of the tool and the Skill's slug; null: the agent
   *   has it by itself
   * @returns null when the name is not a built-in
   */
  tool(name: string, modelName: string, skill: SkillPlace | null, credentials: BoundCredentials): Tool | null {
    const definition = builtinTools.find((each) => each.name === name);
    const work = this.works.get(name);
    if (!definition || !work) return null;
    return {
      name: modelName,
      description: definition.description,
      parameters: definition.input_schema,
      source: 'builtin',
      skill: skill?.slug ?? null,
      id: skill?.toolId ?? null,
      pin: null,
      least: definition.grade,
      external: work.external,
      grade: (args) => work.grade?.(args) ?? definition.grade,
      idempotent: (args) => work.idempotent?.(args) ?? definition.idempotent,
      elsewhere: (args, hosts) => work.elsewhere?.(args, hosts) ?? null,
      ...(work.trustOf ? { trustOf: trustIn(work.trustOf, credentials) } : {}),
      ...(work.noted ? { noted: work.noted } : {}),
      ...(work.documents ? { documents: work.documents } : {}),
      ...(work.compared ? { compared: work.compared } : {}),
      run: (args, call) => work.run(args, call, credentials),
    };
  }
}

/** The implementation of a built-in; the contracts have its definition. What is absent is taken from the definition. */
export interface BuiltinWork {
  external: boolean;
  /** How far a result is trusted; absent: `untrusted` if `external` is true, else `own`. */
  trustOf?(result: unknown, args: Record<string, unknown>, credentials: BoundCredentials): ContentTrust;
  /** An address that a call would reach and that is none of these hosts; absent: there never is one. */
  elsewhere?(args: Record<string, unknown>, hosts: readonly string[]): string | null;
  grade?(args: Record<string, unknown>): ToolGrade;
  idempotent?(args: Record<string, unknown>): boolean;
  /** What people have to know about a call with this result; absent: nothing. */
  noted?(result: unknown): string | null;
  /** The documents of the project's knowledge that a result is from; absent: none. */
  documents?(result: unknown): ReadDocument[];
  /** The part of a result that is compared with an earlier one; absent: all of it. */
  compared?(result: unknown): unknown;
  run(args: Record<string, unknown>, call: CallSite, credentials: BoundCredentials): Promise<unknown>;
}

/** What the tools that a turn has by itself, beside those of its agent, have in common. */
const ofEachTurn = {
  source: 'builtin',
  skill: null,
  id: null,
  pin: null,
  least: 'read',
  elsewhere: () => null,
  grade: () => 'read',
  idempotent: () => true,
} satisfies Partial<Tool>;

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
    ...ofEachTurn,
    // The definitions are approved, and the model would be shown them without a search too.
    external: false,
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
    ...ofEachTurn,
    external: true,
    // The result was already read, and counted, when it was first shown.
    trustOf: () => 'own',
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
