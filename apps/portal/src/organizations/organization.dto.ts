import { idOf, PageOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

export class OrganizationView {
  @ApiProperty(idOf('org')) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class OrganizationPage extends PageOf(OrganizationView) {}
