import { save } from './save.js';

// A button that keeps what was typed.
export function Button({ id, children, ...rest }) {
  const click = async () => {
    await save(id);
    await save(null);
  };
  return (
    <>
      {/* the only one */}
      <button {...rest} onClick={click}>
        Save {id} &amp; close
      </button>
      {children}
    </>
  );
}
