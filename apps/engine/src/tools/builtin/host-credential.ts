import type { CredentialFields } from '../bound-credentials.js';
import { failure, type ToolFailure } from '../tool.js';

const secretFields = ['access_token', 'token', 'api_key', 'password', 'secret'];

/**
 * The header that authenticates a request. A credential says itself where it may go: its field `hosts` names them
 * (`api.example.com`, `*.example.com`, `localhost:8080`), by comma or space; without that it goes nowhere. Beside it:
 * `header` (default `authorization`), `scheme` (default `Bearer` in `authorization`, none elsewhere; `Basic` with `username`).
 */
export function credentialHeader(url: URL, fields: CredentialFields): Record<string, string> | ToolFailure {
  const hosts = (fields['hosts'] ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((host) => host !== '');
  if (!hosts.some((host) => matches(url, host))) {
    return failure(
      'credential_not_for_host',
      'This credential may not be sent to that host: its field hosts names those.',
    );
  }
  if (url.protocol !== 'https:' && !hosts.includes(url.host.toLowerCase())) {
    return failure(
      'credential_not_for_host',
      'A credential goes over https, or to a host that it names with its port.',
    );
  }
  const secret = secretFields.map((name) => fields[name]).find((value) => value);
  if (!secret) return failure('no_credential', 'The credential has no secret to send.');
  const header = (fields['header'] ?? 'authorization').toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(header))
    return failure('no_credential', 'The name of its header is not valid.');
  const username = fields['username'];
  const basic = username !== undefined && header === 'authorization' && fields['scheme'] === undefined;
  if (basic || fields['scheme']?.toLowerCase() === 'basic') {
    return { [header]: `Basic ${Buffer.from(`${username ?? ''}:${secret}`).toString('base64')}` };
  }
  const scheme = fields['scheme'] ?? (header === 'authorization' ? 'Bearer' : '');
  return { [header]: scheme === '' ? secret : `${scheme} ${secret}` };
}

function matches(url: URL, host: string): boolean {
  if (host.startsWith('*.')) return url.hostname.endsWith(host.slice(1)) && url.port === '';
  return host === url.host.toLowerCase();
}
