
const OPERATORS = new Map([
  ['+', 1],
  ['-', 1],
  ['*', 2],
  ['/', 2],
]);

export function evaluate(text) {
  const output = [];
  const stack = [];
  const tokens = text.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? [];
  scan: for (const token of tokens) {
    if (/^\d/.test(token)) {
      output.push(Number.parseFloat(token));
      continue;
    }
    switch (token) {
      case '(':
        stack.push(token);
        break;
      case ')':
        while (stack.length) {
          const top = stack.pop();
          if (top === '(') continue scan;
          reduce(output, top);
        }
        throw new SyntaxError('unbalanced');
      default: {
        const rank = OPERATORS.get(token);
        while (stack.length && OPERATORS.get(stack.at(-1)) >= rank) reduce(output, stack.pop());
        stack.push(token);
      }
    }
  }
  while (stack.length) reduce(output, stack.pop());
  return output[0];
}

function reduce(output, operator) {
  const b = output.pop(), a = output.pop();
  output.push(operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b);
}
