import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { Refusal } from '../../entities/ingress.entity.js';

export class RefusalView implements Omit<Refusal, 'key_hash'> {
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
  @ApiProperty({ type: 'integer', description: 'Requests that this one stands for: those over a limit are counted' })
  times: number;
  @ApiProperty({ ...time, nullable: true, description: 'When the last of several was refused' }) last_at: Date | null;
  @ApiProperty({ type: String, nullable: true, description: "The sender's own id of the delivery, if it gives one" })
  delivery_id: string | null;
  @ApiProperty({ ...idOf('evt'), nullable: true, description: 'The event that it became when it was sent again' })
  event_id: string | null;
}

export class RefusalPage extends PageOf(RefusalView) {}
