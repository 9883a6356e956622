import type { WebhookExchange, WebhookRequest } from '../samples/webhook-requests.js';

const shownChars = 600;

/** What was sent and what came back, for a person to copy, without the token in the path. */
export function details(
  { method, headers, body }: Omit<WebhookRequest, 'path' | 'probe'>,
  exchange: WebhookExchange,
): string {
  const { answer, error } = exchange;
  const sent = [`${method} <webhook URL>`, ...lines(headers), ...(body === '' ? [] : ['', cut(body)])];
  const came = answer
    ? [`HTTP ${answer.status}`, ...lines(answer.headers), '', cut(answer.body)]
    : [`no answer: ${error?.code}: ${error?.detail}`];
  return [...sent, '', '→', '', ...came].join('\n');
}

/** The code that the ingress refused with, or the status. */
export function refusalOf({ answer }: WebhookExchange): string {
  return `${answer?.status ?? 'no answer'}${codeOf(answer?.body) === null ? '' : ` ${codeOf(answer?.body)}`}`;
}

/** The code in an answer of the ingress; null in any other one. */
export function codeOf(body: string | undefined): string | null {
  try {
    const value: unknown = JSON.parse(body ?? '');
    const code = typeof value === 'object' && value !== null && 'error' in value ? value.error : null;
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

function lines(headers: Record<string, string>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function cut(text: string): string {
  return text.length > shownChars ? `${text.slice(0, shownChars)}… (${text.length} characters)` : text;
}
