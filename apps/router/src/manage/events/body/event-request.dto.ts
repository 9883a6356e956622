import { idOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

class SentValue {
  @ApiProperty() name: string;
  @ApiProperty({ description: 'Not the received value if `masked`' }) value: string;
  @ApiProperty({ description: 'Whether part of the value is hidden, because it is a secret or a signature' })
  masked: boolean;
}

/** What was received, as people may see it. */
export class EventRequestView {
  @ApiProperty(idOf('evt')) event_id: string;
  @ApiProperty(time) received_at: string;
  @ApiProperty({ description: 'Address of the sender' }) remote_address: string;
  @ApiProperty({ type: String, nullable: true, description: 'What the ingress checked; null: the adapter checks it' })
  verified_scheme: string | null;
  @ApiProperty({ type: 'integer', description: 'Size of the body' }) bytes: number;
  @ApiProperty() method: string;
  @ApiProperty({ description: 'Without the token of the webhook' }) path: string;
  @ApiProperty({ type: [SentValue] }) query: SentValue[];
  @ApiProperty({ type: [SentValue], description: 'Sorted by name; a header that came twice is listed twice' })
  headers: SentValue[];
  @ApiProperty({ type: String, nullable: true, description: 'Null if it is not UTF-8 text: see /body' })
  body: string | null;
  @ApiProperty({ description: 'Whether `body` is complete; /body always is' }) body_is_whole: boolean;
}
