import { ApiProperty } from '@nestjs/swagger';
import type { AppRow } from '../../entities/app.entity.js';

/** Something that an App cannot do as it is set up, and what to do. */
export class AppWarning {
  @ApiProperty({ enum: ['no_reply_address', 'app_cannot_send'] }) code: 'no_reply_address' | 'app_cannot_send';
  @ApiProperty({ description: 'What does not work, and what to do, for people' }) message: string;
}

type Facts = Pick<AppRow, 'kind' | 'capabilities' | 'has_reply_address'>;

/** From its installation on, an App says when its replies have nowhere to go. */
export function warningsOf({ kind, capabilities, has_reply_address: hasAddress }: Facts): AppWarning[] {
  if (!capabilities.includes('receive')) return [];
  if (!capabilities.includes('send')) {
    const message =
      'Replies go nowhere: the App has no send capability. To answer through it, install it with capabilities send and receive.';
    return [{ code: 'app_cannot_send', message }];
  }
  if (kind === 'adapter' || hasAddress) return [];
  const message =
    "Replies go nowhere: a sender's name is not an address to post to. To have them posted, set the reply address (reply_address) of the App's channel.";
  return [{ code: 'no_reply_address', message }];
}
