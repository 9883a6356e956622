import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#libs/adapter-sdk';

/**
 * One rule of what must not be lost of what an adapter receives, with the webhook that shows it. The files
 * `inbound-rules.json` are read by the tests and by `scripts/reference.mjs`.
 */
export interface InboundRule {
  rule: string;
  /** Where the payload is from: `built` after the provider's documentation, or `recorded`, and where. */
  from: string;
  /** The route that is called; `parse-inbound` unless given. */
  route?: string;
  /** The webhook's body: JSON, a form, or text. */
  json?: JsonObject;
  form?: Record<string, string | JsonObject>;
  text?: string;
  headers?: Record<string, string>;
  credentials?: JsonObject;
  self?: JsonObject;
  /** For another route than `parse-inbound`: the body of the call. */
  body?: JsonObject;
  /** What the provider answers, the first that fits; anything else with 404. `{{provider}}` in a header is its address. */
  provider?: {
    path: string;
    when?: JsonObject;
    times?: number;
    status?: number;
    headers?: Record<string, string>;
    body: JsonObject;
  }[];
  /** Paths at the provider that have to be called. */
  calls?: string[];
  expect: JsonObject;
}

export function rulesOf(folder: string): InboundRule[] {
  const file = join(import.meta.dirname, '..', folder, 'inbound-rules.json');
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { rules: InboundRule[] }).rules;
}

/** The webhook of a rule, as its provider sends it. */
export function webhookOf({ json, form, text, headers = {} }: InboundRule): { headers: JsonObject; body: string } {
  const fields = Object.entries(form ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const body = text ?? (form ? new URLSearchParams(fields).toString() : JSON.stringify(json ?? {}));
  return { headers, body };
}
