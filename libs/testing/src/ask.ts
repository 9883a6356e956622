interface Question {
  method: string;
  url: string;
  token: string;
  body?: object | undefined;
  headers?: Record<string, string> | undefined;
}

/** Calls a service with this token. @returns `body`: parsed for JSON, null for none, the text for any other */
export async function ask<Body>({ method, url, token, body, headers }: Question) {
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  const json = /[/+]json\b/.test(answer.headers.get('content-type') ?? '');
  const content: unknown = text === '' ? null : json ? JSON.parse(text) : text;
  return { status: answer.status, headers: answer.headers, text, body: content as Body };
}
