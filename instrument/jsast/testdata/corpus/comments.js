/* only */ // comments
