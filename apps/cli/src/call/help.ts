import { type Command } from './command.js';
import { everywhere } from './parse.js';

/** All commands, one per line. */
export function overview(commands: Command[]): string {
  const width = Math.max(...commands.map((command) => usageOf(command).length));
  return [
    'gatehouse <command> [options]',
    '',
    ...commands.map((command) => `  ${usageOf(command).padEnd(width)}  ${command.summary}`),
    '',
    ...optionLines('Every command', everywhere),
    '',
    'The API key comes from GATEHOUSE_API_KEY, or from the files of npm start. See also gatehouse <command> --help.',
    '',
  ].join('\n');
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const { summary, options = {}, notes = [], examples, scopes } = command;
  return [
    `gatehouse ${usageOf(command)}${Object.keys(options).length > 0 ? ' [options]' : ''}`,
    '',
    `${summary}.`,
    ...notes,
    ...(scopes ? [`Scopes of the key: ${scopes}.`] : []),
    '',
    ...(Object.keys(options).length > 0 ? [...optionLines('Options', options), ''] : []),
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function optionLines(title: string, options: Command['options'] = {}): string[] {
  const shown = Object.entries(options).map(([name, { value, help }]) => [
    `--${name}${value ? ` ${value}` : ''}`,
    help,
  ]);
  const width = Math.max(...shown.map(([option = '']) => option.length));
  return [`${title}:`, ...shown.map(([option = '', help]) => `  ${option.padEnd(width)}  ${help}`)];
}

export const usageOf = ({ name, arguments: wanted }: Command): string => (wanted ? `${name} ${wanted}` : name);
