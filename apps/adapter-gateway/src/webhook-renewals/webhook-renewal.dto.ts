import { idOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { WebhookRenewalRow } from './webhook-renewal.entity.js';

export class WebhookRenewalView implements WebhookRenewalRow {
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ ...time, description: 'When it is renewed next' }) due_at: Date;
  @ApiProperty({ ...time, nullable: true }) renewed_at: Date | null;
  @ApiProperty({ ...time, nullable: true, description: 'Until when the provider sends events, if it says so' })
  expires_at: Date | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why the last try failed' }) error: string | null;
  @ApiProperty({ type: String, nullable: true }) error_detail: string | null;
}
