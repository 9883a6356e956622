import type { Api } from '../api/api.js';
import type { Installation } from '../api/installation.js';

export interface Option {
  /** Name of its value in the help; absent: the option is a flag. */
  value?: string;
  help: string;
}

/** What a command is called with, and how it reports its result. */
export interface Call {
  arguments: string[];
  /** The value of an option. */
  value(name: string): string | undefined;
  flag(name: string): boolean;
  json: boolean;
  /** Looks for an address and a key at the first call. */
  api(): Api;
  /** The installation of `npm start`, if there is one. */
  installation: Installation | null;
  env: NodeJS.ProcessEnv;
  /** Writes a line of the result. */
  say(line: string): void;
  /** Writes the whole result, for programs. */
  print(value: unknown): void;
  /** Writes a line that is not part of the result. */
  note(line: string): void;
}

/** The source of its help, its options and its reference. */
export interface Command {
  /** One or two words: `events show`. */
  name: string;
  summary: string;
  /** `<id>`; optional ones in brackets. */
  arguments?: string;
  options?: Record<string, Option>;
  /** The scopes that the key needs; absent: the command calls no API with a key. */
  scopes?: string;
  examples: string[];
  /** What is not obvious; a sentence each. */
  notes?: string[];
  /** @returns the exit code @throws CliError */
  run(call: Call): Promise<number>;
}
