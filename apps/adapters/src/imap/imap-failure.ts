import { deliverFailure, isJsonObject, type DeliverFailure } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import { textOf } from '../provider-calls/json-fields.js';

/** What a mailbox was asked for when it failed. */
export type ImapStep = 'connect' | 'folder' | 'read';

/** A failed step of an IMAP session. Of the server's words nothing is kept. */
export class ImapFailure extends Error {
  override readonly name = 'ImapFailure';

  constructor(
    readonly step: ImapStep,
    cause: unknown,
    /** The mail that was asked for. */
    readonly uid?: number,
  ) {
    super(`the IMAP session failed at ${step}`, { cause });
  }
}

/** Response codes with which a server refuses a login that may be right (RFC 5530). */
const TEMPORARY = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN'];

/** The failure of a call; its message begins with the part that is wrong. */
export function imapFailure(error: ImapFailure | EgressError): DeliverFailure {
  if (error instanceof EgressError) {
    return error.code === 'invalid_url' || error.code === 'blocked_address'
      ? deliverFailure('auth_failed', `host: it cannot be reached from here (${error.code})`)
      : deliverFailure('provider_unavailable', `host: it cannot be reached (${error.code})`);
  }
  const cause = isJsonObject(error.cause) ? error.cause : {};
  const [code, response] = [textOf(cause.code) ?? '', textOf(cause.serverResponseCode) ?? ''];
  if (cause.authenticationFailed === true) {
    return TEMPORARY.includes(response)
      ? deliverFailure('provider_unavailable', `login: the server refuses it for now (${response})`)
      : deliverFailure('auth_failed', 'login: the server refuses this username with this password or account');
  }
  if (/CERT|VERIFY|ALTNAME/.test(code))
    return deliverFailure('auth_failed', "host: the server's certificate is not trusted");
  if (cause.tlsFailed === true) {
    return deliverFailure('auth_failed', 'host: the server offers no TLS in this way: check port and encryption');
  }
  if (error.step === 'folder' && typeof cause.responseStatus === 'string') {
    return deliverFailure('not_found', 'folder: the mailbox has none of this name, or it cannot be read');
  }
  if (error.step === 'connect' && /mechanism|method/.test(error.cause instanceof Error ? error.cause.message : '')) {
    return deliverFailure('auth_failed', 'login: the server offers no supported method');
  }
  if (error.uid !== undefined && typeof cause.responseStatus === 'string') {
    return deliverFailure(
      'provider_unavailable',
      `folder: the server does not give the mail with UID ${error.uid}, and those after it wait: move it away`,
    );
  }
  const where = error.step === 'connect' ? 'host' : error.step;
  return deliverFailure('provider_unavailable', `${where}: the connection to the server failed`);
}
