import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { Refusal } from './refusal.entity.js';

export class RefusalView implements Refusal {
  @ApiProperty(idOf('evt')) id: string;
  @ApiProperty(time) at: Date;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('app')) app_id: string;
  @ApiProperty({ description: 'Code of the answer to the sender' }) code: string;
  @ApiProperty() method: string;
  @ApiProperty({ description: 'Sorted and separated by commas' }) header_names: string;
  @ApiProperty({ type: 'integer' }) body_bytes: number;
  @ApiProperty({ description: 'Hex; empty where the body was not read' }) body_sha256: string;
  @ApiProperty() remote_address: string;
}

export class RefusalPage extends PageOf(RefusalView) {}
