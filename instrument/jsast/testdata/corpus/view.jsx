import { useState } from 'react';
export default function View({ items, ...props }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      {/* a comment */}
      <ul className="list &amp; more" data-x={'y'} {...props}>
        {items.map((item) => (
          <li key={item.id} onClick={() => setOpen(!open)}>
            @text {item.name} &nbsp;&#x1F600;&#128512; and{' '}
            more
          </li>
        ))}
      </ul>
      <ns:tag a:b="c" />
      <props.Member></props.Member>
    </>
  );
}
