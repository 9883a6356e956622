import { UnstyledButton } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import classes from './disclosure.module.css';

/** Something that few people need: one line until it is opened. */
export function Disclosure({ label, children }: { label: ReactNode; children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <div>
      <UnstyledButton className={classes.button} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon size={14} aria-hidden /> {label}
      </UnstyledButton>
      {open && <div className={classes.content}>{children}</div>}
    </div>
  );
}
