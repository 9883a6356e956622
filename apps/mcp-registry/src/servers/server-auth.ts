import { Problem } from '#libs/service-kit';
import type { McpServer } from '../entities/mcp-server.entity.js';
import type { ServerAuth } from './mcp-server.dto.js';

// These headers control the connection or the protocol; none of them carries a credential.
const reserved =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept.*|cookie|mcp-.*|last-event-id|proxy-.*)$/i;

/** @throws Problem 422 `invalid_auth` */
export function checkedAuth(auth: ServerAuth): Pick<McpServer, 'auth_mode' | 'auth_header' | 'credential_id'> {
  const { mode, credential_id: credentialId } = auth;
  const header = auth.header ?? undefined;
  if (mode === 'none' && credentialId) throw wrong('auth.credential_id', 'is not used by the mode none');
  if (mode !== 'none' && !credentialId) throw wrong('auth.credential_id', `is needed by the mode ${mode}`);
  if (header !== undefined && mode !== 'header') throw wrong('auth.header', 'is only used by the mode header');
  if (header !== undefined && (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(header) || reserved.test(header))) {
    throw wrong('auth.header', 'is not the name of a header that may carry a credential');
  }
  return {
    auth_mode: mode,
    auth_header: mode === 'header' ? (header ?? 'x-api-key').toLowerCase() : null,
    credential_id: credentialId ?? null,
  };
}

/** The normalised URL. @throws Problem 422 `invalid_url` */
export function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  const right = url && /^https?:$/.test(url.protocol) && url.hostname !== '' && !url.username && !url.password;
  if (!right) {
    const message = 'must be an absolute http or https URL without user and password';
    throw new Problem(422, 'invalid_url', `The URL of the server ${message}.`, [{ field: 'url', message }]);
  }
  url.hash = '';
  return url;
}

function wrong(field: string, message: string): Problem {
  return new Problem(422, 'invalid_auth', `${field} ${message}.`, [{ field, message }]);
}
