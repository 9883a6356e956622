import { Problem } from '#libs/service-kit';
import type { AppRow } from '../../entities/app.entity.js';

/**
 * The built-in Webhook app posts to its reply address, so it has to be a URL. Only an adapter knows what its addresses
 * are.
 * @throws Problem 422 `invalid_reply_address`
 */
export function requireReplyAddress({ kind }: Pick<AppRow, 'kind'>, address: string): void {
  if (kind === 'adapter') {
    if (address.trim() === '' || address.includes('\0')) throw refused('It is empty.');
    return;
  }
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refused('The Webhook app posts its replies: give an absolute http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(
      'Leave user and password out of the URL: requests are signed with the signing_secret of the credential.',
    );
  }
}

function refused(why: string): Problem {
  return new Problem(422, 'invalid_reply_address', `The reply_address cannot be used. ${why}`, [
    { field: 'reply_address', message: why },
  ]);
}
