"""What a sampled front says of the black boxes at a candidate: moments and entropies."""
