import { type AttentionItem, type AttentionKind, attentionKinds } from '#libs/contracts';
import { ApiProperty } from '@nestjs/swagger';

class AttentionResource {
  @ApiProperty({ enum: attentionKinds }) kind: AttentionKind;
  @ApiProperty({ type: String, nullable: true, description: 'Null: of many' }) id: string | null;
}

export class AttentionView implements Omit<AttentionItem, 'scope'> {
  @ApiProperty({ description: 'For programs' }) code: string;
  @ApiProperty({
    enum: ['error', 'warning'],
    description: 'error: something does not work. warning: it will not for long, or a person is waited for',
  })
  severity: AttentionItem['severity'];
  @ApiProperty({ description: 'In one line, for people' }) text: string;
  @ApiProperty() what_to_do: string;
  @ApiProperty({ type: AttentionResource, description: 'Where to go' }) resource: AttentionResource;
  @ApiProperty({ type: 'integer' }) count: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) since: string | null;
}

export class AttentionListView {
  @ApiProperty({ type: [AttentionView], description: 'Errors first. Only what the caller may read' })
  data: AttentionView[];
}
