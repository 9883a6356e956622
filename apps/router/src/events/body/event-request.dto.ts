import { idOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

class SentValue {
  @ApiProperty() name: string;
  @ApiProperty({ description: 'Not as it came, where it is masked' }) value: string;
  @ApiProperty({ description: 'Whether it is left out in part, since it lets somebody in or proves who sent it' })
  masked: boolean;
}

/** What was received, as people may see it. */
export class EventRequestView {
  @ApiProperty(idOf('evt')) event_id: string;
  @ApiProperty(time) received_at: string;
  @ApiProperty({ description: 'Whose request it was' }) remote_address: string;
  @ApiProperty({ type: String, nullable: true, description: 'What the ingress checked; null: the adapter has to' })
  verified_scheme: string | null;
  @ApiProperty({ type: 'integer', description: 'Of the body' }) bytes: number;
  @ApiProperty() method: string;
  @ApiProperty({ description: 'Without the token of the webhook' }) path: string;
  @ApiProperty({ type: [SentValue] }) query: SentValue[];
  @ApiProperty({ type: [SentValue], description: 'By name; one that came twice is there twice' }) headers: SentValue[];
  @ApiProperty({ type: String, nullable: true, description: 'Null where it is no text in UTF-8: see /body' })
  body: string | null;
  @ApiProperty({ description: 'Whether `body` is all of it; /body always is' }) body_is_whole: boolean;
}
