import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../api/project-query.js';
import { useSession } from '../api/session.js';
import { shellTexts } from '../texts/shell.js';
import classes from './menus.module.css';

export function ProjectSwitcher(): ReactNode {
  const { organization, projects } = useSession();
  const projectId = useProjectId();
  const navigate = useNavigate();
  const current = projects.find(({ id }) => id === projectId);
  return (
    <Menu width={220} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <VisuallyHidden>{shellTexts.switchProject}</VisuallyHidden>
          <img src="/icon.svg" alt="" width={26} height={26} />
          <span className={classes.lines}>
            <span className={classes.name}>{current?.name}</span>
            <span className={classes.under}>{organization.name}</span>
          </span>
          <ChevronsUpDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{shellTexts.project}</Menu.Label>
        {projects.map(({ id, name, closed_at }) => (
          <Menu.Item
            key={id}
            rightSection={id === projectId ? <Check size={14} aria-hidden /> : null}
            onClick={() => void navigate({ to: '/p/$projectId', params: { projectId: id } })}
          >
            {name}
            {closed_at && ` (${shellTexts.closedProject})`}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
