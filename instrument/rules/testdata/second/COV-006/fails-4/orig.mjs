
export async function rateOf(currency) {
  const response = await fetch('https://rates.example/' + currency);
  return response.status;
}
