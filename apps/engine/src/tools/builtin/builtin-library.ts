import { builtinTools, type ContentTrust, type ToolGrade } from '#libs/contracts';
import type { BoundCredentials } from '../bound-credentials.js';
import type { CallSite, Tool } from '../tool.js';

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
  /** The part of a result that is compared with an earlier one; absent: all of it. */
  compared?(result: unknown): unknown;
  run(args: Record<string, unknown>, call: CallSite, credentials: BoundCredentials): Promise<unknown>;
}
