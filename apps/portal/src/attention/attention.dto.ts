import { type AttentionItem, type AttentionKind, attentionKinds } from '#libs/contracts';
import { Text, time, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

class AttentionResource {
  @ApiProperty({ enum: attentionKinds }) kind: AttentionKind;
  @ApiProperty({ type: String, nullable: true, description: 'Null: it concerns several' }) id: string | null;
}

export class AttentionView implements Omit<AttentionItem, 'scope'> {
  @ApiProperty({ description: 'Code for programs' }) code: string;
  @ApiProperty({
    enum: ['error', 'warning'],
    description: 'error: something does not work. warning: it will soon stop working, or it waits for a person',
  })
  severity: AttentionItem['severity'];
  @ApiProperty({ description: 'One line for people' }) text: string;
  @ApiProperty() what_to_do: string;
  @ApiProperty({ type: AttentionResource, description: 'The resource it is about' }) resource: AttentionResource;
  @ApiProperty({ type: 'integer' }) count: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) since: string | null;
  @ApiProperty({ description: 'What it is about: the same however often it comes again' }) cause: string;
  @ApiProperty({ ...time, nullable: true, description: 'Until then no rule alerts about it' })
  muted_until: string | null;
}

export class UnmuteAttention {
  @Text(300, { minLength: 1, description: 'The cause of an item' }) cause: string;
}

export class MuteAttention extends UnmuteAttention {
  @Whole(1, 720) hours: number;
}

export class AttentionListView {
  @ApiProperty({
    type: [AttentionView],
    description: 'Errors first, what is muted last. Contains only what the caller may read',
  })
  data: AttentionView[];
}
