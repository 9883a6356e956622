import { type AttentionItem, type AttentionKind, attentionKinds } from '#libs/contracts';
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
}

export class AttentionListView {
  @ApiProperty({ type: [AttentionView], description: 'Errors first. Contains only what the caller may read' })
  data: AttentionView[];
}
