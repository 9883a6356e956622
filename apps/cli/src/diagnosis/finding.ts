/** The result of one check, by a service or by the CLI. */
export interface Finding {
  service: string;
  check: string;
  state: 'ok' | 'warning' | 'error';
  text: string;
  what_to_do: string | null;
}

export const ok = (check: string, service: string, text: string): Finding => ({
  service,
  check,
  state: 'ok',
  text,
  what_to_do: null,
});

export const trouble = (
  state: 'warning' | 'error',
  check: string,
  service: string,
  text: string,
  what_to_do: string,
): Finding => ({ service, check, state, text, what_to_do });
