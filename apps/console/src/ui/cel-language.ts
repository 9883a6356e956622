import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { StreamLanguage } from '@codemirror/language';
import { own } from '../own.js';

/** Highlighting of CEL (https://cel.dev). The API decides what is valid. */
export const cel = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^[rb]?"(?:[^"\\]|\\.)*"?/) || stream.match(/^[rb]?'(?:[^'\\]|\\.)*'?/)) return 'string';
    if (stream.match(/^\d+(?:\.\d+)?(?:e[+-]?\d+)?u?/i)) return 'number';
    if (stream.match(/^(?:true|false|null)\b/)) return 'bool';
    if (stream.match(/^in\b/) || stream.match(/^(?:&&|\|\||[=!<>]=|[!<>?:])/)) return 'operatorKeyword';
    if (stream.match(/^[a-z_]\w*/i)) return stream.peek() === '.' ? 'propertyName' : null;
    stream.next();
    return null;
  },
});

const fields: Readonly<Record<string, readonly string[]>> = {
  event: ['type', 'sender', 'message', 'thread_id', 'is_dm', 'verified'],
  contact: ['id', 'name', 'status'],
  request: ['headers', 'query'],
};
const functions = ['contains', 'startsWith', 'endsWith', 'size', 'exists', 'all'];

const option =
  (type: string) =>
  (label: string): Completion => ({ label, type });

/** The names that a filter may use. */
function complete(context: CompletionContext): CompletionResult | null {
  const path = context.matchBefore(/[\w.]+/);
  if (!path) return null;
  const dot = path.text.lastIndexOf('.');
  if (dot < 0) return { from: path.from, options: [...Object.keys(fields), 'metadata'].map(option('variable')) };
  const known = own(fields, path.text.slice(0, dot)) ?? [];
  return {
    from: path.from + dot + 1,
    options: [...known.map(option('property')), ...functions.map(option('function'))],
  };
}

export const celCompletions = autocompletion({ override: [complete] });
