import type { ModelEvent, ToolCall } from './model.js';

/** What the instructions tell the rehearsal model to do, in order. */
export interface Directives {
  calls: { name: string; arguments: unknown }[];
  /** The last `reply:` line wins, so that a workflow's instructions override its agent's. */
  reply: string | null;
}

/** Reads lines `reply: <template>` and `call <tool> <json>`. All other lines are for people and real models. */
export function readDirectives(instructions: string): Directives {
  const directives: Directives = { calls: [], reply: null };
  for (const line of instructions.split('\n')) {
    const reply = /^\s*reply:\s*(.*)$/.exec(line);
    if (reply) directives.reply = (reply[1] ?? '').trimEnd();
    const call = /^\s*call\s+([\w-]+)\s+(\{.*\})\s*$/.exec(line);
    if (call?.[1] && call[2]) directives.calls.push({ name: call[1], arguments: jsonOrText(call[2]) });
  }
  return directives;
}

/**
 * Fills `{{message}}`, `{{sender}}`, `{{event_type}}`, `{{thread_id}}`, `{{metadata.a.b}}` and `{{result.status}}`, in
 * one pass.
 */
export function fillTemplate(template: string, event: ModelEvent, result: unknown): string {
  return template.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (_all, path: string) =>
    shown(path.split('.').reduce<unknown>(memberOf, { ...event, result })),
  );
}

/** Whether the template names a part of a result that is not there: filled, it would be a sentence with a hole. */
export function lacksResult(template: string, event: ModelEvent, result: unknown): boolean {
  const named = template.match(/\{\{\s*result\.[\w.-]+\s*\}\}/g) ?? [];
  return named.some((part) => fillTemplate(part, event, result) === '');
}

/** The call with its templates filled. Values inside a URL are encoded, so that they cannot change the address. */
export function fillCall(call: Omit<ToolCall, 'id'>, event: ModelEvent, result: unknown): unknown {
  const encoded: ModelEvent = {
    ...event,
    sender: encodeURIComponent(event.sender),
    message: encodeURIComponent(event.message),
    event_type: encodeURIComponent(event.event_type),
    thread_id: event.thread_id === null ? null : encodeURIComponent(event.thread_id),
    metadata: {},
  };
  const fill = (value: unknown, key: string): unknown => {
    if (typeof value === 'string')
      return fillTemplate(value, key === 'url' ? encoded : event, key === 'url' ? null : result);
    if (Array.isArray(value)) return value.map((entry) => fill(entry, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, fill(entry, name)]));
  };
  return fill(call.arguments, '');
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Passed on unchanged, so that the argument check reports what is wrong.
    return text;
  }
}
