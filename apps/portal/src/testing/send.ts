/** The answer to a request to the portal. */
export interface Answer {
  status: number;
  /** Without parameters. */
  type: string | undefined;
  text: string;
  /** The body, if it is a JSON object. */
  body: ReturnType<typeof JSON.parse>;
}

/** Sends a request over HTTP, with an API key unless it is null. */
export async function send(url: string, key: string | null, init: RequestInit = {}): Promise<Answer> {
  const headers = { ...(key ? { authorization: `Bearer ${key}` } : {}), ...init.headers };
  const answer = await fetch(url, { ...init, headers });
  const text = await answer.text();
  const type = answer.headers.get('content-type')?.split(';')[0];
  return { status: answer.status, type, text, body: text.startsWith('{') ? JSON.parse(text) : null };
}

export function post(body: object): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}
