import { parseArgs } from 'node:util';
import { usageError } from '../api/cli-error.js';
import type { Command, Option } from './command.js';

/** Options of every command. */
export const everywhere: Record<string, Option> = {
  json: { help: 'Prints the result as JSON' },
  url: { value: 'URL', help: 'Address of the portal. Default: GATEHOUSE_URL, then that of the npm start installation' },
  'data-dir': { value: 'DIR', help: 'Folder of an npm start installation. Default: GATEHOUSE_DATA_DIR, then .data' },
  help: { help: 'Shows the help of the command' },
};

export interface Parsed {
  command: Command;
  arguments: string[];
  values: Record<string, string | boolean | undefined>;
}

/** @returns null when no command is named @throws CliError 2 */
export function parse(args: string[], commands: Command[]): Parsed | null {
  const words = leadingWords(args);
  const command =
    commands.find(({ name }) => name === words.slice(0, 2).join(' ')) ?? commands.find(({ name }) => name === words[0]);
  if (!command) {
    if (words.length === 0) return null;
    throw usageError(`There is no command ${words.slice(0, 2).join(' ')}.`, 'the first words after gatehouse');
  }
  const rest = args.slice(command.name.split(' ').length);
  const options = { ...everywhere, ...command.options };
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { value }]) => [
          name,
          { type: value ? ('string' as const) : ('boolean' as const) },
        ]),
      ),
    });
    if (values['help'] !== true) requireArguments(command, positionals);
    return { command, arguments: positionals, values };
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error), `gatehouse ${command.name}`);
  }
}

function leadingWords(args: string[]): string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  return end < 0 ? args : args.slice(0, end);
}

function requireArguments({ arguments: wanted = '', name }: Command, given: string[]): void {
  const names = wanted.split(' ').filter((word) => word !== '');
  const needed = names.filter((word) => !word.startsWith('['));
  if (given.length < needed.length) throw new Error(`${needed[given.length]} is missing.`);
  if (given.length > names.length)
    throw new Error(`gatehouse ${name} does not take the argument ${JSON.stringify(given[names.length])}.`);
}
